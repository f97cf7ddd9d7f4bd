import * as z from 'zod'
import { Uuid } from '../../http/common-fields.ts'

/** Ours: the characters of a question in base64; clients ask in about 100 bytes. */
const CHARACTERS_MOST = 8_192

/** DER, in base64 where it travels in JSON. */
export const Bytes = z.base64().meta({ description: 'DER; as JSON, a text of its base64' })
export const Question = Bytes.max(CHARACTERS_MOST)

export const PublishedPath = z.strictObject({ id: Uuid })
/** A question in an address, whose base64 may have the `/` that ends a segment. */
export const QuestionPath = z.strictObject({
  id: Uuid,
  request: Question.meta({ description: 'DER in base64, percent-encoded (RFC 6960 §A.1)' }),
})
