/** Characters of the identifier of a cache-only key. */
const KID = /^[A-Za-z0-9._-]{1,255}$/

/** Whether a text can identify a cache-only key. Ours: `.` and `..` would change the path of its address. */
export const isKid = (text: string): boolean => KID.test(text) && text !== '.' && text !== '..'

/** Id of the record of a cache-only key that endpoints serve. @param organization id of its record */
export const servedKeyId = (organization: string, kid: string): string => `${organization} ${kid}`
