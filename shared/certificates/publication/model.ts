import * as z from 'zod'

/** Ours: the characters of a question in base64; clients ask in about 100 bytes. */
const CHARACTERS_MOST = 8_192

/** DER, in base64 where it travels in JSON. */
export const Bytes = z.base64().meta({ description: 'DER; as JSON, a text of its base64' })
export const Question = Bytes.max(CHARACTERS_MOST)
