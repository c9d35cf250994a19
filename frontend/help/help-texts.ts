import type { Language } from "../../domain/languages.ts";
import type { HelpTopic } from "./help-topics.ts";

type Section = { heading?: string; text: string };

/** Long texts, fetched with the page that shows them. */
export const HELP: Record<HelpTopic, Record<Language, Section[]>> = {
  "how-it-works": {
    pt: [
      {
        text: "A Torcida devolve parte do que você gasta nas lojas parceiras, em CHZ, a moeda da rede Chiliz, onde vivem os fan tokens dos clubes.",
      },
      {
        heading: "1. Conecte a sua carteira",
        text: "A carteira é a sua conta: não há senha para lembrar. Você assina uma mensagem, e isso não custa nada nem move nada.",
      },
      {
        heading: "2. Escolha a loja e o fan token",
        text: "Na loja do seu clube, o fan token do clube rende bônus. Ao tocar em Comprar agora, você vê quanto recebe antes de sair daqui.",
      },
      {
        heading: "3. Compre normalmente no site da loja",
        text: "A compra vira um ingresso na sua carteira: um registro que ninguém pode mudar, com loja, valor, cashback e status.",
      },
      {
        heading: "4. Receba o cashback",
        text: "Quando a loja confirma a compra, o cashback vai em CHZ direto para a sua carteira. A Torcida paga as taxas da rede.",
      },
    ],
    en: [
      {
        text: "Torcida gives back part of what you spend at partner stores, in CHZ, the currency of the Chiliz chain, home of the clubs' fan tokens.",
      },
      {
        heading: "1. Connect your wallet",
        text: "Your wallet is your account: there is no password to remember. You sign a message, which costs nothing and moves nothing.",
      },
      {
        heading: "2. Choose the store and the fan token",
        text: "At your club's store, the club's fan token earns a bonus. When you press Buy now, you see what you will receive before you leave.",
      },
      {
        heading: "3. Shop as usual on the store's site",
        text: "The purchase becomes a ticket in your wallet: a record that nobody can change, with store, value, cashback and status.",
      },
      {
        heading: "4. Receive your cashback",
        text: "Once the store confirms the purchase, the cashback goes in CHZ straight to your wallet. Torcida pays the network's fees.",
      },
    ],
  },
  bonus: {
    pt: [
      {
        text: "O bônus soma pontos percentuais ao cashback da loja. Ele depende do fan token que você escolhe e do clube da loja.",
      },
    ],
    en: [
      {
        text: "The bonus adds percentage points to the store's cashback. It depends on the fan token you choose and on the store's club.",
      },
    ],
  },
  "when-cashback-comes": {
    pt: [
      {
        heading: "Em processamento",
        text: "A compra foi registrada e o ingresso está sendo emitido. Costuma levar menos de um minuto.",
      },
      {
        heading: "Pendente",
        text: "O ingresso está na sua carteira. Falta a loja confirmar a compra, o que costuma levar o prazo de troca e devolução dela.",
      },
      { heading: "Confirmado", text: "A loja confirmou. O cashback entra na próxima remessa de pagamentos." },
      {
        heading: "Pago",
        text: "O CHZ já está na sua carteira. Na página do ingresso você vê a transação e confere a conta.",
      },
      { heading: "Cancelado", text: "A loja cancelou ou você devolveu a compra. Não há cashback." },
      {
        heading: "Quantos dias?",
        text: "Cada loja tem o seu ritmo. A página da loja mostra em quantos dias ela costuma informar, confirmar e pagar, pela mediana das últimas 40 vendas; com menos de 20, ainda não dá para dizer. No seu painel, cada compra mostra até que dia a próxima etapa costuma acontecer, e avisa quando demora mais do que o costume.",
      },
      {
        heading: "Devolvi uma compra já paga",
        text: "O valor vira uma compensação: sai dos seus próximos cashbacks, e você nunca paga nada de volta. O painel mostra quanto falta em A compensar.",
      },
      {
        heading: "A carteira recusou o envio",
        text: "Carteiras que são contratos podem recusar CHZ. O valor não se perde: fica guardado no contrato, em seu nome, e você o saca pelo painel para outro endereço.",
      },
    ],
    en: [
      {
        heading: "Processing",
        text: "The purchase is registered and the ticket is being issued. This usually takes less than a minute.",
      },
      {
        heading: "Pending",
        text: "The ticket is in your wallet. The store still has to confirm the purchase, which usually takes as long as its return period.",
      },
      { heading: "Confirmed", text: "The store has confirmed. Your cashback goes out with the next payments." },
      {
        heading: "Paid",
        text: "The CHZ is in your wallet. The ticket's page shows the transaction and lets you check the sum.",
      },
      { heading: "Cancelled", text: "The store cancelled the purchase, or you returned it. There is no cashback." },
      {
        heading: "How many days?",
        text: "Every store has its own pace. Its page shows within how many days it usually reports, confirms and pays, by the median of its last 40 sales; below 20 there is nothing to say yet. On your dashboard each purchase shows by which day its next step is usual, and says when it takes longer.",
      },
      {
        heading: "I returned a purchase that was already paid",
        text: "The amount is offset: it comes off your next cashback, and you never pay anything back. Your dashboard shows how much is left under To be offset.",
      },
      {
        heading: "My wallet refused the payment",
        text: "Wallets that are contracts can refuse CHZ. The amount is not lost: the contract keeps it in your name, and you withdraw it to another address on your dashboard.",
      },
    ],
  },
  "missing-cashback": {
    pt: [
      {
        heading: "Confira antes",
        text: "Você estava na sua conta quando tocou em Comprar agora?\nComprou logo depois, na mesma janela, sem cupom de outro site?\nO bloqueador de anúncios estava desligado na loja?\nFrete, impostos e itens devolvidos não contam, nem o que a página da loja exclui.",
      },
      {
        heading: "Ainda falta?",
        text: "Espere até sete dias: algumas lojas demoram a informar as compras. Depois, abra as suas visitas, encontre a da compra e toque em Minha compra não apareceu. Você acompanha a resposta na mesma página.",
      },
    ],
    en: [
      {
        heading: "Check first",
        text: "Were you logged in when you pressed Buy now?\nDid you buy right after, in the same window, without a coupon from another site?\nWas your ad blocker off at the store?\nShipping, taxes and returned items do not count, and neither does anything that the store's page excludes.",
      },
      {
        heading: "Still missing?",
        text: "Wait up to seven days: some stores take a while to report purchases. Then open your visits, find the one with the purchase and press My purchase is missing. You can follow the answer on the same page.",
      },
    ],
  },
  "using-chz": {
    pt: [
      {
        text: "CHZ é a moeda da rede Chiliz, onde vivem os fan tokens dos clubes. O seu cashback chega em CHZ, direto na sua carteira, e é seu: a Torcida não o guarda, não o move e não pode tomá-lo de volta.",
      },
      {
        heading: "Guardar",
        text: "O CHZ fica em qualquer carteira que conheça a rede Chiliz, como a da Socios.com, a MetaMask ou a Trust Wallet. Quem tem a frase secreta tem o CHZ: anote-a em papel e não a mostre a ninguém.",
      },
      {
        heading: "Usar",
        text: "Com CHZ você paga as taxas da rede, que são pequenas, e compra fan tokens no aplicativo da Socios.com. Com mais fan tokens do clube da loja, o seu bônus aqui aumenta.",
      },
      {
        heading: "Trocar por reais",
        text: "Corretoras de criptoativos que negociam CHZ recebem depósitos e pagam em reais. Antes de enviar, veja três coisas: se a corretora aceita depósitos pela rede Chiliz, e não só por outra rede; se o endereço está certo, porque um envio não pode ser desfeito; e quanto ela cobra. Comece com um valor pequeno.\nA Torcida não troca CHZ e não indica corretora.",
      },
      {
        heading: "Quanto vale",
        text: "O preço do CHZ muda o tempo todo, para cima e para baixo. A quantidade é fixada quando a loja confirma a compra; ao lado de cada pagamento você vê quanto ele valia em reais no dia e quanto vale hoje. Se falta a cotação de um dia, dizemos que falta.",
      },
      {
        heading: "Imposto de renda",
        text: "No seu perfil há um extrato de cada ano, com data, loja, CHZ, cotação do dia, valor em reais e o comprovante na rede. Leve-o a quem cuida da sua declaração: o que declarar depende do seu caso, e esta página não é conselho fiscal nem de investimento.",
      },
    ],
    en: [
      {
        text: "CHZ is the currency of the Chiliz chain, home of the clubs' fan tokens. Your cashback arrives in CHZ, straight in your wallet, and is yours: Torcida does not hold it, does not move it and cannot take it back.",
      },
      {
        heading: "Keep it",
        text: "CHZ can be held in any wallet that knows the Chiliz chain, such as Socios.com's, MetaMask or Trust Wallet. Whoever has the secret phrase has the CHZ: write it on paper and show it to nobody.",
      },
      {
        heading: "Use it",
        text: "CHZ pays the network's fees, which are small, and buys fan tokens in the Socios.com app. With more fan tokens of the store's club, your bonus here grows.",
      },
      {
        heading: "Exchange it",
        text: "Crypto exchanges that trade CHZ take deposits and pay out in reais or another currency. Check three things before you send: that the exchange takes deposits on the Chiliz chain, not only on another one; that the address is right, because a transfer cannot be undone; and what it charges. Start with a small amount.\nTorcida exchanges no CHZ and recommends no exchange.",
      },
      {
        heading: "What it is worth",
        text: "The price of CHZ changes all the time, up and down. The amount is fixed when the store confirms the purchase; beside each payment you see what it was worth in reais on its day and what it is worth today. If a day's rate is missing, we say so.",
      },
      {
        heading: "Taxes",
        text: "Your profile has a statement of each year, with date, store, CHZ, the day's rate, the value in reais and the proof on the chain. Take it to whoever does your tax return: what to declare depends on your case, and this page is neither tax nor investment advice.",
      },
    ],
  },
  terms: {
    pt: [
      {
        text: "O cashback é uma promoção das lojas parceiras e vale só para compras feitas pelo link da Torcida, com login.\nO valor, o percentual e o bônus ficam fixados no registro da compra. Uma compra cancelada pela loja não rende cashback.\nOs ingressos são pessoais e intransferíveis.",
      },
      {
        heading: "A sua carteira",
        text: "Só você tem a chave da sua carteira. A Torcida nunca pede a frase secreta e não pode recuperar uma carteira perdida.\nPerdeu o acesso? Use a frase secreta em outro aplicativo de carteira: os ingressos e o CHZ estão na rede, não no aparelho. Sem a frase, crie outra carteira e faça um novo cadastro; o que foi pago à antiga continua nela.",
      },
    ],
    en: [
      {
        text: "Cashback is a promotion of the partner stores and applies only to purchases made through Torcida's link, while logged in.\nValue, percentage and bonus are fixed when the purchase is registered. A purchase that the store cancels earns no cashback.\nTickets are personal and cannot be transferred.",
      },
      {
        heading: "Your wallet",
        text: "Only you hold the key of your wallet. Torcida never asks for your secret phrase and cannot recover a lost wallet.\nLost access? Use your secret phrase in another wallet app: tickets and CHZ are on the chain, not on the device. Without the phrase, create another wallet and register again; what was paid to the old one stays there.",
      },
    ],
  },
  privacy: {
    pt: [
      { text: "Guardamos o seu nome, o seu e-mail, o endereço da sua carteira e as suas compras. Nada é vendido." },
      {
        heading: "O que é público",
        text: "A rede Chiliz é pública: o endereço da carteira, a loja, o valor e o cashback de cada ingresso podem ser lidos por qualquer pessoa. Nome e e-mail nunca vão para a rede.",
      },
      {
        heading: "Os seus direitos (LGPD)",
        text: "No seu perfil você baixa os seus dados e apaga a sua conta. O que já está na rede não pode ser apagado, nem por nós.",
      },
    ],
    en: [
      { text: "We keep your name, your email, your wallet's address and your purchases. Nothing is sold." },
      {
        heading: "What is public",
        text: "The Chiliz chain is public: anyone can read the wallet's address, the store, the value and the cashback of each ticket. Your name and email never go on the chain.",
      },
      {
        heading: "Your rights (LGPD)",
        text: "In your profile you can download your data and erase your account. What is already on the chain cannot be erased, not even by us.",
      },
    ],
  },
  contact: {
    pt: [
      {
        text: "Uma compra não apareceu? Comece em Minhas visitas: o pedido de análise fica registrado, e você acompanha a resposta na mesma página.",
      },
    ],
    en: [
      {
        text: "Is a purchase missing? Start with your visits: your claim is recorded, and you can follow the answer on the same page.",
      },
    ],
  },
};
