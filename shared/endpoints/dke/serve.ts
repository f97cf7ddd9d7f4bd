import { bodyOf, jsonHeaders, readFields } from '../../serving/json-body.ts'
import { serve } from '../../serving/pipeline.ts'
import { DKE_ACCESS_LOG } from './access-log.ts'
import { parsePath } from './data/address.ts'
import { admit, authenticate, type DkeRequest, type Serving } from './data/admit.ts'
import { badRequest, DkeRefusal, errors } from './data/errors.ts'
import { VERBS, type DkeCall } from './data/verbs.ts'

const BODY_BYTES = 16_384

/** @throws DkeRefusal TOO_LARGE, BAD_REQUEST */
function readCall({ event, address, now, record }: DkeRequest, { endpoint, version }: Serving): DkeCall {
  if (address.operation === 'publicKey') return { endpoint, version, now, record, fields: {} }
  const body = bodyOf(event).toString()
  if (Buffer.byteLength(body) > BODY_BYTES) throw new DkeRefusal('TOO_LARGE')
  const fields = readFields(event.headers['content-type'] ?? 'application/json', body)
  if (typeof fields === 'string') throw badRequest(fields)
  return { endpoint, version, now, record, fields }
}

/**
 * The data plane of DKE endpoints: GET {key_uri}, without authentication, and POST {kid}/decrypt with a person's token.
 */
export const handler = serve({
  accessLog: DKE_ACCESS_LOG,
  errors,
  answerWithinMs: 3_000, // Ours: a person waits for a document, and keys of a tenant may have to be read.
  headers: jsonHeaders,
  parsePath,
  authenticate,
  resource: admit,
  clouds: ['dke'],
  blockedBy: ({ endpoint }) => [endpoint.id],
  verb: ({ operation }) => VERBS[operation],
  read: readCall,
})
