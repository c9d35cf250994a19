import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, matchPath, NavLink, useLocation } from "react-router";
import { bonus, HOLDING_TIERS } from "../../core/rules/bonus.ts";
import { formatDecimal, percentText } from "../../core/rules/money.ts";
import { CHZ_DECIMALS } from "../../core/rules/product.ts";
import { configQuery } from "../api/queries.ts";
import { PageHeading } from "../app/page.tsx";
import { paths } from "../app/paths.ts";
import { useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import { Card } from "../ui/card.tsx";
import { LinkButton } from "../ui/link-button.tsx";
import style from "./help-page.module.css";
import { useHelp } from "./help-texts.ts";
import { HELP_TOPICS } from "./help-topics.ts";

/** A help page. docs/product.md#help */
export default function HelpPage() {
  const t = useText();
  const help = useHelp();
  const { pathname } = useLocation();
  const topic = HELP_TOPICS.find((one) => matchPath(paths.help(one), pathname)) ?? "how-it-works";
  return (
    <section className={`page ${style.page}`}>
      <article className={style.text}>
        <PageHeading>{t(`help.${topic}`)}</PageHeading>
        {help(topic).map(({ heading, text }) => (
          <section key={heading ?? text}>
            {heading && <h2>{heading}</h2>}
            {text.split("\n").map((line) => (
              <p key={line}>{line}</p>
            ))}
          </section>
        ))}
        {topic === "bonus" && <Calculator />}
        {topic === "missing-cashback" && (
          <p>
            <LinkButton to={paths.visits}>{t("visits.title")}</LinkButton>
          </p>
        )}
        {topic === "contact" && <Contact />}
        {topic === "privacy" && (
          <p>
            <Link className="link" to={paths.profile}>
              {t("profile.title")}
            </Link>
          </p>
        )}
      </article>
      <nav aria-label={t("help.topics")} className={style.topics}>
        <h2>
          <Link to={paths.help()}>{t("help.topics")}</Link>
        </h2>
        <ul>
          {HELP_TOPICS.map((one) => (
            <li key={one}>
              <NavLink to={paths.help(one)}>{t(`help.${one}`)}</NavLink>
            </li>
          ))}
        </ul>
      </nav>
    </section>
  );
}

function Contact() {
  const t = useText();
  const contact = useQuery(configQuery).data.support_contact;
  const isPage = contact?.startsWith("https://");
  return (
    <>
      <p>
        <LinkButton to={paths.visits}>{t("visits.title")}</LinkButton>
      </p>
      <h2>{t("help.contact.title")}</h2>
      {contact ? (
        <p>
          {t(isPage ? "help.contact.page" : "help.contact.email")}{" "}
          <a className="link" href={isPage ? contact : `mailto:${contact}`}>
            {isPage ? new URL(contact).host : contact}
          </a>
        </p>
      ) : (
        <p>{t("help.contact.none")}</p>
      )}
      <p>{t("help.contact.secret")}</p>
    </>
  );
}

const CLUB = "Clube";
/** A purchase of R$ 100. */
const EXAMPLE_CENTS = 10_000n;

/** Calculates the bonus by the active program for a chosen balance. */
function Calculator() {
  const t = useText();
  const { percent, brl } = useFormat();
  const program = useQuery(configQuery).data.bonus_program;
  const [amount, setAmount] = useState(String(HOLDING_TIERS[1]?.minimum ?? 30n));
  const [isClubs, setClubs] = useState(true);
  const whole = /^\d{1,9}$/.test(amount) ? BigInt(amount) : 0n;
  const result = bonus(
    {
      token: { slug: "clube", name: CLUB },
      club: isClubs ? CLUB : "Outro",
      clubToken: null,
      balance: { units: whole * 10n ** BigInt(CHZ_DECIMALS), decimals: CHZ_DECIMALS },
    },
    program,
  );
  return (
    <>
      <p>{t(`info.faq.bonus.${program}`)}</p>
      <Card title={t("help.calculator")}>
        <label className="field">
          <span>{t("help.calculator.amount")}</span>
          <input inputMode="numeric" value={amount} onChange={(event) => setAmount(event.target.value.trim())} />
        </label>
        <label className="check">
          <input type="checkbox" checked={isClubs} onChange={(event) => setClubs(event.target.checked)} />
          <span>{t("help.calculator.club")}</span>
        </label>
        <p className={style.result} role="status">
          {t("help.calculator.result", { percent: `+${percent(percentText(result.totalBps))}` })}
          <small>
            {t("help.calculator.example", {
              value: brl(100),
              amount: brl(formatDecimal((EXAMPLE_CENTS * result.totalBps) / 10_000n, 2)),
            })}
          </small>
        </p>
      </Card>
    </>
  );
}
