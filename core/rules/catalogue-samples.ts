import type { Translations } from "./languages.ts";

type Translated<Field extends string> = Partial<Translations<Record<Field, string | null>>>;

/** Eight sample stores, cashback from 2.5 % to 7 %. docs/product.md#samples. */
export type SampleStore = {
  /** Prefixed, so that it cannot collide with a database id. */
  id: `sample-${string}`;
  name: string;
  country: string;
  club: string | null;
  /** Of the built-in club that it is of. */
  clubSlug: string | null;
  category: string;
  description: string;
  terms: string | null;
  featured: boolean;
  affiliateLink: string;
  cashbacks: readonly ({ category: string; cashbackBps: bigint } & Translated<"category">)[];
} & Translated<"country" | "category" | "description" | "terms">;

export const SAMPLE_STORES: readonly SampleStore[] = [
  {
    id: "sample-1",
    name: "Verdão Store",
    country: "Brasil",
    club: "Palmeiras",
    clubSlug: "palmeiras",
    category: "Moda esportiva",
    description: "Camisas, agasalhos e acessórios da torcida do Palmeiras.",
    terms: "Sem cashback em vale-presentes e em camisas personalizadas com nome e número.",
    country_en: "Brazil",
    category_en: "Sportswear",
    description_en: "Shirts, tracksuits and accessories for Palmeiras fans.",
    terms_en: "No cashback on gift cards or on shirts printed with a name and number.",
    featured: true,
    affiliateLink: "https://example.com/verdao-store",
    cashbacks: [
      { category: "Camisas", category_en: "Shirts", cashbackBps: 500n },
      { category: "Acessórios", category_en: "Accessories", cashbackBps: 350n },
    ],
  },
  {
    id: "sample-2",
    name: "Boutique Parisienne",
    country: "França",
    club: "Paris Saint-Germain",
    clubSlug: "paris-saint-germain",
    category: "Moda esportiva",
    description: "Linha oficial de jogo e de passeio do clube de Paris.",
    terms: "Sem cashback em vale-presentes e em ingressos de jogos.",
    country_en: "France",
    category_en: "Sportswear",
    description_en: "Official match and casual wear of the Paris club.",
    terms_en: "No cashback on gift cards or match tickets.",
    featured: true,
    affiliateLink: "https://example.com/boutique-parisienne",
    cashbacks: [
      { category: "Camisas", category_en: "Shirts", cashbackBps: 700n },
      { category: "Infantil", category_en: "Kids", cashbackBps: 450n },
    ],
  },
  {
    id: "sample-3",
    name: "Mercado da Bola",
    country: "Brasil",
    club: null,
    clubSlug: null,
    category: "Artigos esportivos",
    description: "Bolas, chuteiras e luvas para a pelada e para o campeonato.",
    terms: "Sem cashback em vale-presentes.",
    country_en: "Brazil",
    category_en: "Sporting goods",
    description_en: "Balls, boots and gloves, from the park to the league.",
    terms_en: "No cashback on gift cards.",
    featured: true,
    affiliateLink: "https://example.com/mercado-da-bola",
    cashbacks: [{ category: "Tudo", category_en: "Everything", cashbackBps: 400n }],
  },
  {
    id: "sample-4",
    name: "Gramado Eletrônicos",
    country: "Brasil",
    club: null,
    clubSlug: null,
    category: "Eletrônicos",
    description: "TVs, som e celulares para não perder nenhum lance.",
    terms: "Sem cashback em celulares, consoles e vale-presentes.",
    country_en: "Brazil",
    category_en: "Electronics",
    description_en: "TVs, sound and phones, so you never miss a play.",
    terms_en: "No cashback on phones, consoles or gift cards.",
    featured: true,
    affiliateLink: "https://example.com/gramado-eletronicos",
    cashbacks: [
      { category: "TVs", category_en: null, cashbackBps: 250n },
      { category: "Som", category_en: "Sound", cashbackBps: 325n },
    ],
  },
  {
    id: "sample-5",
    name: "Curva Sud Moda",
    country: "Itália",
    club: "Juventus",
    clubSlug: "juventus",
    category: "Moda",
    description: "Roupa casual com sotaque de Turim.",
    terms: null,
    country_en: "Italy",
    category_en: "Fashion",
    description_en: "Casual wear with a Turin accent.",
    terms_en: null,
    featured: false,
    affiliateLink: "https://example.com/curva-sud-moda",
    cashbacks: [{ category: "Tudo", category_en: "Everything", cashbackBps: 575n }],
  },
  {
    id: "sample-6",
    name: "La Grada Deportes",
    country: "Espanha",
    club: "Barcelona",
    clubSlug: "fc-barcelona",
    category: "Artigos esportivos",
    description: "Equipamento de treino e de jogo, do futsal ao campo.",
    terms: "Sem cashback em vale-presentes e na linha de outlet.",
    country_en: "Spain",
    category_en: "Sporting goods",
    description_en: "Training and match gear, from futsal to the full pitch.",
    terms_en: "No cashback on gift cards or outlet items.",
    featured: false,
    affiliateLink: "https://example.com/la-grada-deportes",
    cashbacks: [
      { category: "Treino", category_en: "Training", cashbackBps: 300n },
      { category: "Jogo", category_en: "Match day", cashbackBps: 600n },
    ],
  },
  {
    id: "sample-7",
    name: "Terrace Coffee",
    country: "Reino Unido",
    club: null,
    clubSlug: null,
    category: "Alimentos e bebidas",
    description: "Café torrado para manhãs de clássico.",
    terms: "Sem cashback na assinatura mensal.",
    country_en: "United Kingdom",
    category_en: "Food and drink",
    description_en: "Coffee roasted for derby mornings.",
    terms_en: "No cashback on the monthly subscription.",
    featured: false,
    affiliateLink: "https://example.com/terrace-coffee",
    cashbacks: [{ category: "Tudo", category_en: "Everything", cashbackBps: 450n }],
  },
  {
    id: "sample-8",
    name: "Apito Viagens",
    country: "Portugal",
    club: null,
    clubSlug: null,
    category: "Viagens",
    description: "Hotel e passagem para ver o jogo de perto.",
    terms: "Sem cashback em seguros, taxas de embarque e reservas canceladas.",
    country_en: null,
    category_en: "Travel",
    description_en: "Hotels and flights to see the match up close.",
    terms_en: "No cashback on insurance, airport taxes or cancelled bookings.",
    featured: false,
    affiliateLink: "https://example.com/apito-viagens",
    cashbacks: [
      { category: "Hotéis", category_en: "Hotels", cashbackBps: 350n },
      { category: "Passagens", category_en: "Flights", cashbackBps: 250n },
    ],
  },
];
