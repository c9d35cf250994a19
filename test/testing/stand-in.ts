/** Stands in for a whole object of which the tested code uses only these members. The one place that claims so. */
export function standIn<Whole>(members: { [Name in keyof NoInfer<Whole>]?: unknown }): Whole {
  return members as Whole;
}
