/** Eight sample stores, cashback from 2.5 % to 7 %, and the fan tokens PSG and VERDAO. docs/product.md#samples. */
export type SampleStore = {
  /** Prefixed, so that it cannot collide with a database id. */
  id: `sample-${string}`;
  name: string;
  country: string;
  club: string | null;
  category: string;
  description: string;
  logo: string | null;
  featured: boolean;
  affiliateLink: string;
  cashbacks: readonly { category: string; cashbackBps: bigint }[];
};

export const SAMPLE_STORES: readonly SampleStore[] = [
  {
    id: "sample-1",
    name: "Verdão Store",
    country: "Brasil",
    club: "Palmeiras",
    category: "Moda esportiva",
    description: "Camisas, agasalhos e acessórios da torcida do Palmeiras.",
    logo: null,
    featured: true,
    affiliateLink: "https://example.com/verdao-store",
    cashbacks: [
      { category: "Camisas", cashbackBps: 500n },
      { category: "Acessórios", cashbackBps: 350n },
    ],
  },
  {
    id: "sample-2",
    name: "Boutique Parisienne",
    country: "França",
    club: "Paris Saint-Germain",
    category: "Moda esportiva",
    description: "Linha oficial de jogo e de passeio do clube de Paris.",
    logo: null,
    featured: true,
    affiliateLink: "https://example.com/boutique-parisienne",
    cashbacks: [
      { category: "Camisas", cashbackBps: 700n },
      { category: "Infantil", cashbackBps: 450n },
    ],
  },
  {
    id: "sample-3",
    name: "Mercado da Bola",
    country: "Brasil",
    club: null,
    category: "Artigos esportivos",
    description: "Bolas, chuteiras e luvas para a pelada e para o campeonato.",
    logo: null,
    featured: true,
    affiliateLink: "https://example.com/mercado-da-bola",
    cashbacks: [{ category: "Tudo", cashbackBps: 400n }],
  },
  {
    id: "sample-4",
    name: "Gramado Eletrônicos",
    country: "Brasil",
    club: null,
    category: "Eletrônicos",
    description: "TVs, som e celulares para não perder nenhum lance.",
    logo: null,
    featured: true,
    affiliateLink: "https://example.com/gramado-eletronicos",
    cashbacks: [
      { category: "TVs", cashbackBps: 250n },
      { category: "Som", cashbackBps: 325n },
    ],
  },
  {
    id: "sample-5",
    name: "Curva Sud Moda",
    country: "Itália",
    club: "Juventus",
    category: "Moda",
    description: "Roupa casual com sotaque de Turim.",
    logo: null,
    featured: false,
    affiliateLink: "https://example.com/curva-sud-moda",
    cashbacks: [{ category: "Tudo", cashbackBps: 575n }],
  },
  {
    id: "sample-6",
    name: "La Grada Deportes",
    country: "Espanha",
    club: "Barcelona",
    category: "Artigos esportivos",
    description: "Equipamento de treino e de jogo, do futsal ao campo.",
    logo: null,
    featured: false,
    affiliateLink: "https://example.com/la-grada-deportes",
    cashbacks: [
      { category: "Treino", cashbackBps: 300n },
      { category: "Jogo", cashbackBps: 600n },
    ],
  },
  {
    id: "sample-7",
    name: "Terrace Coffee",
    country: "Reino Unido",
    club: null,
    category: "Alimentos e bebidas",
    description: "Café torrado para manhãs de clássico.",
    logo: null,
    featured: false,
    affiliateLink: "https://example.com/terrace-coffee",
    cashbacks: [{ category: "Tudo", cashbackBps: 450n }],
  },
  {
    id: "sample-8",
    name: "Apito Viagens",
    country: "Portugal",
    club: null,
    category: "Viagens",
    description: "Hotel e passagem para ver o jogo de perto.",
    logo: null,
    featured: false,
    affiliateLink: "https://example.com/apito-viagens",
    cashbacks: [
      { category: "Hotéis", cashbackBps: 350n },
      { category: "Passagens", cashbackBps: 250n },
    ],
  },
];

export type SampleFanToken = { name: string; slug: string; symbol: string; image: string };

export const SAMPLE_FAN_TOKENS: readonly SampleFanToken[] = [
  { name: "Paris Saint-Germain", slug: "psg", symbol: "PSG", image: "" },
  { name: "Palmeiras", slug: "verdao", symbol: "VERDAO", image: "" },
];
