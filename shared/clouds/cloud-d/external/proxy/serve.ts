import { bodyOf, jsonHeaders, readFields } from '../../../../serving/json-body.ts'
import { serve } from '../../../../serving/pipeline.ts'
import { NAME } from '../../name.ts'
import { EXTERNAL_ACCESS_LOG } from './access-log.ts'
import { parsePath } from './address.ts'
import { admit, authenticate, opcHeaders, type ExternalRequest, type Serving } from './admit.ts'
import { badRequest, errors, ExternalRefusal } from './errors.ts'
import { assertAllowed } from './policy.ts'
import { VERBS, type ExternalCall } from './verbs.ts'

const BODY_BYTES = 262_144

/** @throws ExternalRefusal TOO_LARGE, BAD_REQUEST */
function readCall({ event, address, now, record }: ExternalRequest, serving: Serving): ExternalCall {
  const { operation, version, method } = address
  const { requestId } = event.requestContext
  const call = { ...serving, operation, version, record, now, requestId }
  if (method === 'GET') return { ...call, fields: {} }
  const body = bodyOf(event).toString()
  if (Buffer.byteLength(body) > BODY_BYTES) throw new ExternalRefusal('TOO_LARGE')
  const fields = readFields(event.headers['content-type'] ?? 'application/json', body)
  if (typeof fields === 'string') throw badRequest(fields)
  return { ...call, fields }
}

/** The data plane of external vaults: metadata, encrypt, decrypt and random bytes, with a token of the vault's issuer. */
export const handler = serve({
  accessLog: EXTERNAL_ACCESS_LOG,
  errors,
  answerWithinMs: 3_000, // Ours: the cloud waits longer; a token and a key set may have to be read.
  headers: (event) => ({ ...jsonHeaders(event), ...opcHeaders(event) }),
  parsePath,
  authenticate,
  resource: admit,
  clouds: ['external-vaults', NAME],
  blockedBy: ({ vault, key }) => [vault.id, key?.id],
  verb: ({ operation }) => VERBS[operation],
  read: readCall,
  permit: assertAllowed,
})
