import * as z from 'zod'
import { picked } from '../../base/fields.ts'
import { Uuid } from '../../http/common-fields.ts'
import { strictObject } from '../../base/lazy-fields.ts'

/** Ours: maximum characters of an OCSP request in base64; clients send about 100 bytes. */
const CHARACTERS_MOST = 8_192

/** DER; base64 in JSON. */
export const Bytes = z.base64().meta({ description: 'DER; as JSON, a text of its base64' })
export const Question = Bytes.max(CHARACTERS_MOST)
const BASE64 = picked(z.toJSONSchema(Bytes), 'format', 'contentEncoding', 'pattern')

export const PublishedPath = z.strictObject({ id: Uuid })
/** An OCSP request in an address, whose base64 may contain the `/` that separates segments. */
export const QuestionPath = strictObject(() => ({
  id: Uuid,
  // Described as base64, which callers should send. Some clients omit the padding, or use the alphabet for URLs.
  request: z
    .string()
    .max(CHARACTERS_MOST)
    .regex(/^[A-Za-z0-9+/_-]+={0,2}$/, { error: 'must be base64' })
    .meta({ ...BASE64, description: 'DER in base64, percent-encoded (RFC 6960 §A.1)' }),
}))
