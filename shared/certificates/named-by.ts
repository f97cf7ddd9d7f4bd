import { hash } from 'node:crypto'

/** The family of the authorities with a subject. A subject may be longer than a key of the table. @param subject as text of RFC 4514 */
export const namedBy = (subject: string): string => `named ${hash('sha256', subject, 'base64url')}`
