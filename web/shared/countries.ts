// Names of countries, from the browser; it knows them by codes of two letters, documents by codes of three.

/** ISO 3166-1: three letters, then the two for the same country. Those of crates/documents/src/countries.rs; a test compares. */
const CODES =
  "ABWAW AFGAF AGOAO AIAAI ALAAX ALBAL ANDAD AREAE ARGAR ARMAM ASMAS ATAAQ ATFTF ATGAG AUSAU AUTAT AZEAZ BDIBI " +
  "BELBE BENBJ BESBQ BFABF BGDBD BGRBG BHRBH BHSBS BIHBA BLMBL BLRBY BLZBZ BMUBM BOLBO BRABR BRBBB BRNBN BTNBT " +
  "BVTBV BWABW CAFCF CANCA CCKCC CHECH CHLCL CHNCN CIVCI CMRCM CODCD COGCG COKCK COLCO COMKM CPVCV CRICR CUBCU " +
  "CUWCW CXRCX CYMKY CYPCY CZECZ DEUDE DJIDJ DMADM DNKDK DOMDO DZADZ ECUEC EGYEG ERIER ESHEH ESPES ESTEE ETHET " +
  "FINFI FJIFJ FLKFK FRAFR FROFO FSMFM GABGA GBRGB GEOGE GGYGG GHAGH GIBGI GINGN GLPGP GMBGM GNBGW GNQGQ GRCGR " +
  "GRDGD GRLGL GTMGT GUFGF GUMGU GUYGY HKGHK HMDHM HNDHN HRVHR HTIHT HUNHU IDNID IMNIM INDIN IOTIO IRLIE IRNIR " +
  "IRQIQ ISLIS ISRIL ITAIT JAMJM JEYJE JORJO JPNJP KAZKZ KENKE KGZKG KHMKH KIRKI KNAKN KORKR KWTKW LAOLA LBNLB " +
  "LBRLR LBYLY LCALC LIELI LKALK LSOLS LTULT LUXLU LVALV MACMO MAFMF MARMA MCOMC MDAMD MDGMG MDVMV MEXMX MHLMH " +
  "MKDMK MLIML MLTMT MMRMM MNEME MNGMN MNPMP MOZMZ MRTMR MSRMS MTQMQ MUSMU MWIMW MYSMY MYTYT NAMNA NCLNC NERNE " +
  "NFKNF NGANG NICNI NIUNU NLDNL NORNO NPLNP NRUNR NZLNZ OMNOM PAKPK PANPA PCNPN PERPE PHLPH PLWPW PNGPG POLPL " +
  "PRIPR PRKKP PRTPT PRYPY PSEPS PYFPF QATQA REURE ROURO RUSRU RWARW SAUSA SDNSD SENSN SGPSG SGSGS SHNSH SJMSJ " +
  "SLBSB SLESL SLVSV SMRSM SOMSO SPMPM SRBRS SSDSS STPST SURSR SVKSK SVNSI SWESE SWZSZ SXMSX SYCSC SYRSY TCATC " +
  "TCDTD TGOTG THATH TJKTJ TKLTK TKMTM TLSTL TONTO TTOTT TUNTN TURTR TUVTV TWNTW TZATZ UGAUG UKRUA UMIUM URYUY " +
  "USAUS UZBUZ VATVA VCTVC VENVE VGBVG VIRVI VNMVN VUTVU WLFWF WSMWS YEMYE ZAFZA ZMBZM ZWEZW";

const ALPHA_2 = new Map(CODES.split(" ").map((both) => [both.slice(0, 3), both.slice(3)]));

/** The code of two letters; codes that stand for no country have none. */
export function alpha2(code: string): string | undefined {
  return ALPHA_2.get(code);
}

/** A country's name in a language; its code where the browser knows no name. */
export function countryName(code: string, language: string): string {
  const short = alpha2(code);
  const names = new Intl.DisplayNames([language], { type: "region", fallback: "code" });
  return (short && names.of(short)) || code;
}

/** Codes in the order of their names. */
export function sortedCountries(codes: readonly string[], language: string): { code: string; name: string }[] {
  const collator = new Intl.Collator(language);
  return codes
    .map((code) => ({ code, name: countryName(code, language) }))
    .sort((one, other) => collator.compare(one.name, other.name));
}

/** The country of the reader's region, where it is among these. */
export function likelyCountry(languages: readonly string[], codes: readonly string[]): string | undefined {
  for (const tag of languages) {
    const region = new Intl.Locale(tag).region;
    const found = region && codes.find((code) => alpha2(code) === region);
    if (found) {
      return found;
    }
  }
  return undefined;
}
