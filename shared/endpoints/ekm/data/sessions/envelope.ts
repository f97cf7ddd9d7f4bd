import type { Fields } from '../../../../base/json.ts'
import { send } from '../../../../tls/server.ts'
import { assertEnabled } from '../admit.ts'
import { EkmRefusal } from '../errors.ts'
import { invalid, objectIn, textIn } from '../message.ts'
import { permit } from '../policy.ts'
import { readContext, recordContext } from '../request-context.ts'
import type { EkmCall, EnvelopeVerb } from '../verbs.ts'
import { handleIn, recordFacts, recordsOf } from './calls.ts'
import { onlyField, readEnvelopeRequest } from './messages.ts'
import type { Session } from './session.ts'
import { heard, isFinal, useSession, type Step } from './use-session.ts'

/** Ours: the answer must fit one record, including the additions of an operation. */
const PLAINTEXT_BYTES = 15 * 1_024
const OPERATIONS_MOST = 100
const PATH_CHARACTERS = 1_024

/** Name of the bytes in the message of a verb. */
type Content = 'plaintext' | 'wrappedBlob'

/** The reason that a message gives, as text. */
const reasonIn = (fields: Fields): string => readContext(fields).reason ?? ''

/**
 * The message in the session decides. Fields that the caller repeats outside of it must be equal.
 * @throws EkmRefusal INVALID_ARGUMENT
 */
function assertRepeated(outer: Fields, inner: Fields): void {
  const metadata = objectIn(outer, 'requestMetadata') ?? {}
  const differs = (given: string, meant: string): boolean => given !== '' && given !== meant
  const paths = ['keyPath', 'keyUriPrefix'].some((name) =>
    differs(textIn(metadata, name, PATH_CHARACTERS), textIn(inner, name, PATH_CHARACTERS)),
  )
  if (paths || differs(reasonIn(metadata), reasonIn(inner)))
    throw invalid('requestMetadata differs from the message in the session.')
}

/** Ours: a message within a session names its key, as the session does not. @throws EkmRefusal INVALID_ARGUMENT */
function assertKey(inner: Fields, kekId: string): void {
  const named = textIn(inner, 'keyUriPrefix', PATH_CHARACTERS) + textIn(inner, 'keyPath', PATH_CHARACTERS)
  if (named !== kekId && !named.endsWith(`/${kekId}`)) throw invalid('keyPath names another key than the address.')
}

function assertFits(plaintext: unknown): void {
  if (Buffer.isBuffer(plaintext) && plaintext.length > PLAINTEXT_BYTES)
    throw invalid(`A session carries plaintexts of at most ${PLAINTEXT_BYTES} bytes.`)
}

/** The answer of a verb to a message in a session; its owner zeroes it. */
async function answered(call: EkmCall, verb: EnvelopeVerb, outer: Fields): Promise<Buffer> {
  const { fields, kekId, endpoint, record } = call
  assertEnabled(endpoint, record)
  assertRepeated(outer, fields)
  assertKey(fields, kekId)
  await permit(call, verb)
  if (!endpoint.takesSessions) throw new EkmRefusal('FAILED_PRECONDITION') // only a permitted caller learns its type
  const input = verb.read({ ...call, fields: { ...fields, keyPath: undefined, keyUriPrefix: undefined } })
  assertFits(fields.plaintext)
  const key = await verb.key(call, input)
  const bytes = verb.bytes(call, input, key)
  if (verb.confidential === 'decrypt') assertFits(bytes)
  return bytes
}

/** Records of an answer, or the refusal. */
type Outcome = { readonly records: Buffer } | { readonly refusal: unknown }

/** Consumes the records of a call, even if their message is refused. */
async function attempt(call: EkmCall, verb: EnvelopeVerb, content: Content, session: Session): Promise<Step<Outcome>> {
  if (session.operations >= OPERATIONS_MOST) throw new EkmRefusal('FAILED_PRECONDITION', 'The session is used up.')
  const request = heard(session, recordsOf(call.fields))
  const used = { ...request.session, operations: session.operations + 1 }
  recordFacts(call, session)
  try {
    const fields = readEnvelopeRequest(request.message, content)
    const context = readContext(fields)
    recordContext(call.record, context)
    const bytes = await answered({ ...call, fields, context, attested: session.attested }, verb, call.fields)
    const message = onlyField(bytes)
    const { connection, records } = send(used.connection, message)
    for (const secret of [bytes, message]) secret.fill(0)
    return { session: { ...used, connection }, answer: { records } }
  } catch (refusal) {
    if (!isFinal(refusal)) throw refusal
    return { session: used, answer: { refusal } }
  } finally {
    request.message.fill(0)
  }
}

/**
 * Answers a verb within a session. A refusal of the verb leaves the session usable: its records are used up, so that
 * the client's next ones can be read.
 * @throws EkmRefusal; Refusal
 */
export async function answerWithin(call: EkmCall, verb: EnvelopeVerb, content: Content): Promise<object> {
  const outcome = await useSession(call, handleIn(call.fields), ['accepted'], (session) =>
    attempt(call, verb, content, session),
  )
  if ('refusal' in outcome) throw outcome.refusal
  return { tlsRecords: outcome.records.toString('base64') }
}
