/** `Cloud-a` and `custom_key` become the words Cloud, A; Custom, Key. Abbreviations are words: `CSR` is `Csr`. */
const wordsOf = (text: string): string[] =>
  text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase())

export const pascal = (text: string): string => wordsOf(text).join('')
/** The name of an operation's schemas: `createKey` becomes `CreateKey`. */
export const capitalized = (id: string): string => id.charAt(0).toUpperCase() + id.slice(1)

export const camel = (text: string): string => pascal(text).replace(/^./, (first) => first.toLowerCase())

/** `Keys` becomes `Key`, `Policies` `Policy`, `Addresses` `Address`; `Alias` and `Kms` are singular already. */
export const singular = (name: string): string => {
  if (/ies$/.test(name)) return `${name.slice(0, -3)}y`
  if (/(?:ss|x|ch)es$/.test(name)) return name.slice(0, -2)
  return /[^su]s$/i.test(name) && !/(?:Alias|Kms|Status)$/.test(name) ? name.slice(0, -1) : name
}
