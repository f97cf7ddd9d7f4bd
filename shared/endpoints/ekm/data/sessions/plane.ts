import type { Fields } from '../../../../base/json.ts'
import { bodyOf, jsonHeaders, readFields } from '../../../../serving/json-body.ts'
import { serve, type Verb } from '../../../../serving/pipeline.ts'
import { EKM_ACCESS_LOG } from '../../access-log.ts'
import { parseSessionPath, type SessionCall } from '../address.ts'
import { authenticateSession } from '../admit.ts'
import { EKM_CLOUDS } from '../../identifiers.ts'
import { errors } from '../errors.ts'
import { invalid } from '../message.ts'
import type { SessionUse } from './use-session.ts'

/** Ours: base64 of 1 MiB of records, and the rest of a body. */
const BODY_BYTES = 1_500_000

interface Given extends SessionUse {
  readonly operation: SessionCall
  readonly fields: Fields
}

/** TLS and evidence are loaded at the first call: they are most of the code of a session. */
const calls = () => import('./calls.ts')

const verb: Verb<Given, Fields, Awaited<ReturnType<typeof calls>>> = {
  read: ({ fields }) => fields,
  key: calls,
  use: (given, fields, { CALLS }) => CALLS[given.operation](given, fields),
}

/** The calls of attested sessions. A session names no key: it proves who calls, and from what machine. */
export const answerSession = serve({
  accessLog: EKM_ACCESS_LOG,
  errors,
  answerWithinMs: 2_000, // Ours: as for calls with keys
  headers: jsonHeaders,
  parsePath: parseSessionPath,
  authenticate: authenticateSession,
  resource: (_request, caller) => caller,
  clouds: EKM_CLOUDS,
  blockedBy: () => undefined, // it names no key; the calls within it do
  verb: () => verb,
  read: ({ event, address: { operation }, record, now }, caller): Given => {
    const type = event.headers['content-type'] ?? 'application/json'
    const fields = readFields(type, bodyOf(event).toString(), BODY_BYTES)
    if (typeof fields === 'string') throw invalid(fields)
    return { ...caller, operation, fields, record, now }
  },
})
