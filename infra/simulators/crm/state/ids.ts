const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SUFFIX = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ012345'
const NUMBER_DIGITS = 8
const SHORT_LENGTH = 15

/** First characters of an id, by object. */
export const PREFIXES = {
  Organization: '00D',
  User: '005',
  TenantSecret: '02G',
  Certificate: '0P1',
  NamedCredential: '0XA',
  EventLogFile: '0AT',
} as const

/** The id of a numbered record: 15 characters and the suffix by which case can be lost. */
export function idOf(object: keyof typeof PREFIXES, number: number): string {
  let digits = ''
  for (let rest = number; rest > 0; rest = Math.floor(rest / DIGITS.length))
    digits = DIGITS.charAt(rest % DIGITS.length) + digits
  return fullId(`${PREFIXES[object]}5g00${digits.padStart(NUMBER_DIGITS, '0')}`)
}

/** The form with 18 characters of an id with 15 or 18. Any other text is returned unchanged. */
export function fullId(id: string): string {
  if (id.length !== SHORT_LENGTH) return id
  const suffix = (id.match(/.{5}/g) ?? []).map((five) =>
    SUFFIX.charAt(five.split('').reduce((sum, each, index) => sum + (/[A-Z]/.test(each) ? 1 << index : 0), 0)),
  )
  return id + suffix.join('')
}

export const shortId = (id: string): string => id.slice(0, SHORT_LENGTH)
