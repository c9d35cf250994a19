/**
 * One URL for each host of a URL in libpq's form, `postgres://user:password@one:5432,two:5432/name`. libpq's
 * `target_session_attrs` is dropped: the writable host is always used.
 */
export function hostUrls(databaseUrl: string): string[] {
  const [, scheme, user = "", hosts = "", rest = ""] =
    /^(postgres(?:ql)?:\/\/)([^/?]*@)?([^/?@]*)(.*)$/s.exec(databaseUrl) ?? [];
  const name = rest.replace(/([?&])target_session_attrs=[^&]*(&|$)/, "$1").replace(/[?&]$/, "");
  return hosts.split(",").map((host) => `${scheme}${user}${host}${name}`);
}

export function withoutPassword(databaseUrl: string): string {
  return databaseUrl.replace(/^(\w+:\/\/[^:@/?]*):[^/?]*@/, "$1@");
}
