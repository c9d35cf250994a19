import { Link } from "react-router";
import { PageHeading } from "../app/page.tsx";
import { paths } from "../app/paths.ts";
import { useText } from "../i18n/language.tsx";
import style from "./help-index-page.module.css";
import { useHelp } from "./help-texts.ts";
import { HELP_TOPICS } from "./help-topics.ts";

/** All help pages, each with its first sentence. docs/product.md#help */
export default function HelpIndexPage() {
  const t = useText();
  const help = useHelp();
  return (
    <section className="page">
      <PageHeading>{t("help.topics")}</PageHeading>
      <p className="lead">{t("help.lead")}</p>
      <ul className={style.index}>
        {HELP_TOPICS.map((topic) => (
          <li key={topic}>
            <Link to={paths.help(topic)}>
              <h2>{t(`help.${topic}`)}</h2>
              <p>{help(topic)[0]?.text.match(/^.*?[.!?](?=\s|$)/)?.[0]}</p>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
