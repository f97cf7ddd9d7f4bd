import { createHash } from 'node:crypto'
import { canonicalJson } from '../base/canonical-json.ts'
import { Refusal, REFUSALS } from '../base/errors.ts'
import { isObject } from '../base/json.ts'
import { errorFields, log } from '../base/log.ts'
import { onlyOf, type Load } from '../base/room.ts'
import { requestName } from '../keyring/request-key.ts'
import type { Changes } from '../store/changes.ts'
import { actionOf } from './action.ts'
import type { Caller, Subject } from './context.ts'
import type { DryRun } from './dry-run.ts'
import { isWrite, type Route } from './operation.ts'
import { PERMISSIONS } from './permission.ts'
import type { Call, HttpEvent } from './request/call.ts'
import type { Claim, RulesOfCaller } from './request/claim.ts'

declare module '../base/room.ts' {
  interface RoomRow {
    readonly approvals?: Load<Approvals>
  }
}

/** Header fields: the id of an approved request, and the reason with which a call asks for approval. */
export const APPROVAL = 'X-Keymgr-Approval'
export const APPROVAL_REASON = 'X-Keymgr-Approval-Reason'

/** Ours: the longest reason, in characters. */
const REASON_CHARACTERS = 1_024

/** A call that asks for approval. */
export interface AskedCall {
  readonly caller: Caller
  readonly now: Date
  readonly action: string
  readonly method: string
  /** path as the client sent it */
  readonly path: string
  readonly query: string
  /** without secrets */
  readonly body: unknown
  /** identifies the call, without revealing it */
  readonly digest: string
  readonly reason: string
  /** changes of its dry run, if it can be tried */
  readonly changes: DryRun['changes']
  /** URIs of the existing records that the dry run found */
  readonly subjects: readonly string[]
  /** ids of the rules */
  readonly rules: readonly string[]
}

/** The approval checks of a single call and of jobs that make several calls. */
export interface Approvals {
  readonly rulesFor: (caller: Caller, action: string, now: Date) => Promise<RulesOfCaller>
  /** Stages a request. @returns the request in the form of answers, and its subject */
  readonly ask: (asked: AskedCall, changes: Changes) => Promise<{ request: object; subject: Subject }>
  /** @throws Refusal NOT_FOUND, STATE_CONFLICT, RULE_BROKEN for another call than the approved one */
  readonly claim: (id: string, use: Pick<AskedCall, 'caller' | 'now' | 'digest' | 'rules'>) => Promise<Claim>
}

/**
 * Whether rules may cover an operation. Ours: they cover neither reads nor calls without a token of a domain.
 */
export function mayBeRuled(route: Route): boolean {
  const { may } = route.operation.declaration
  return isWrite(route) && PERMISSIONS[may].token && may !== 'platform-clients'
}

const approvals = (): Promise<Approvals> => onlyOf('approvals')

/** The refusal of an action that needs an approval and has none; otherwise `undefined`. */
export async function unapproved(caller: Caller, action: string, now: Date): Promise<Refusal | undefined> {
  const rules = await (await approvals()).rulesFor(caller, action, now)
  const unmet = rules.over(action).filter((id) => caller.approvedRules?.includes(id) !== true)
  return unmet.length === 0 ? undefined : rules.refusalOf(action, unmet)
}

const badHeader = (name: string, detail: string): Refusal =>
  new Refusal('QUERY_INVALID', `${name} ${detail}.`, { errors: [{ parameter: name, detail }] })

/** The reason of a call that asks for approval. Characters that a header field cannot have are percent-encoded. */
function reasonOf({ headers }: HttpEvent): string | undefined {
  const given = headers[APPROVAL_REASON.toLowerCase()]
  if (given === undefined) return undefined
  let reason: string
  try {
    reason = decodeURIComponent(given).trim()
  } catch {
    throw badHeader(APPROVAL_REASON, 'must be a text whose % and other characters than ASCII are percent-encoded')
  }
  if (reason === '' || reason.length > REASON_CHARACTERS)
    throw badHeader(APPROVAL_REASON, `must have 1 to ${REASON_CHARACTERS} characters`)
  return reason
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The id of the approval that a call uses. @throws Refusal QUERY_INVALID */
function approvalIdOf({ headers }: HttpEvent): string | undefined {
  const given = headers[APPROVAL.toLowerCase()]
  if (given !== undefined && !UUID.test(given)) throw badHeader(APPROVAL, 'must be the id of an approval request')
  return given
}

/**
 * Sets the `Idempotency-Key` of an approved call to the id of its approval, so that a repeated call resumes the
 * interrupted one, and a repeated POST gets its first answer.
 */
export function keyByApproval(event: HttpEvent): void {
  const id = approvalIdOf(event)
  if (id !== undefined) event.headers['idempotency-key'] = id
}

/** The body in canonical form: JSON with sorted fields, or the text. */
function comparedBody({ body = '', isBase64Encoded, headers }: HttpEvent): string {
  const text = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8').toString('utf8')
  const isJson = headers['content-type']?.trim().toLowerCase().startsWith('application/json') === true
  return isJson && text !== '' ? `json ${canonicalJson(JSON.parse(text))}` : `text ${text}`
}

/**
 * Keyed hash of method, address and body of a call. A plain hash would reveal a short secret in the body to a guess.
 */
function digestOf(event: HttpEvent): Promise<string> {
  const { call, requestContext, rawPath, rawQueryString } = event
  const digest = createHash('sha256')
  for (const part of ['approval', requestContext.http.method, rawPath, rawQueryString, comparedBody(event)])
    digest.update(`${Buffer.byteLength(part)}:`).update(part)
  return requestName(call.caller.domain.id, digest.digest('hex'), call.now)
}

const HIDDEN = '(not shown)'
/** Ours: names of fields that may contain secrets. Approvers do not see their values. */
const SECRET =
  /pass|secret|token|credential|private|material|pfx|api_?key|key_?(?:bytes|file|pem)|plaintext|^(?:value|data|code|key|iv|nonce|defaultiv|macsignature|evidence|certificate|ext_cert|cert)$/i
const TEXT_CHARACTERS = 256
const MEMBERS = 50

/** The body that approvers see: without texts that are long or may be secret. */
function shownBody(value: unknown, name = ''): unknown {
  if (typeof value === 'string')
    return SECRET.test(name) || value.length > TEXT_CHARACTERS || value.includes('-----BEGIN') ? HIDDEN : value
  if (Array.isArray(value)) return value.slice(0, MEMBERS).map((one) => shownBody(one, name))
  if (!isObject(value)) return value
  const hides = SECRET.test(name)
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, MEMBERS)
      .map(([member, one]) => [member, shownBody(one, hides ? `secret ${member}` : member)]),
  )
}

/** Ours: a larger body is not shown, so that the request stays below the table's item limit (400 KB). */
const BODY_BYTES = 16_000

function bodyForApprovers(body: unknown): object | undefined {
  if (!isObject(body)) return undefined
  const shown = shownBody(body) as object // of an object
  return Buffer.byteLength(JSON.stringify(shown)) <= BODY_BYTES ? shown : { body: HIDDEN }
}

/** The effect of approval rules on a call: none, it asks for approval, or it uses an approval. */
type Approving =
  | { readonly does: 'nothing' }
  | { readonly does: 'asks'; readonly reason: string; readonly rules: readonly string[] }
  | { readonly does: 'uses'; readonly claim: Claim }

const idIn = (path: unknown): string | undefined =>
  isObject(path) && typeof path.id === 'string' ? path.id : undefined

/**
 * Applies the approval rules to a call. Claims the approved request that the call names, so that no other call uses it.
 * @throws Refusal ACTION_DENIED for a call that needs an approval and has none; those of `claim`
 */
export async function approvingOf(route: Route, event: HttpEvent): Promise<Approving> {
  if (!mayBeRuled(route)) return { does: 'nothing' }
  const { call } = event
  const { caller, now, path } = call
  const action = actionOf(route.operation.declaration)
  const room = await approvals()
  const rules = await room.rulesFor(caller, action, now)
  const over = rules.over(action, idIn(path))
  const id = approvalIdOf(event)
  const reason = reasonOf(event)
  call.rules = rules
  if (id !== undefined) {
    call.claim ??= await room.claim(id, { caller, now, digest: await digestOf(event), rules: over })
    return { does: 'uses', claim: call.claim }
  }
  if (reason !== undefined) return { does: 'asks', reason, rules: over }
  if (over.length > 0) throw rules.refusalOf(action, over)
  return { does: 'nothing' }
}

/** Checks a further action that the call does to a record. @throws Refusal ACTION_DENIED */
export function assertApprovedUse({ rules, claim }: Call, action: string): void {
  const unmet = rules?.over(action).filter((rule) => claim?.rules.includes(rule) !== true) ?? []
  if (rules !== undefined && unmet.length > 0) throw rules.refusalOf(action, unmet)
}

/** Refuses an approved call whose path now names another record. @throws Refusal STATE_CONFLICT */
export function assertApprovedSubject({ claim }: Call, { uri, record }: Subject): void {
  if (claim === undefined || claim.subjects.length === 0 || record === undefined || claim.subjects.includes(uri)) return
  throw new Refusal('STATE_CONFLICT', 'The path of this call now names another record than the approved one.')
}

/** Stages the request of a call. @throws Refusal RULE_BROKEN when no rule asks for an approval */
export async function stageRequest(
  route: Route,
  event: HttpEvent,
  asked: Pick<AskedCall, 'reason' | 'rules' | 'changes' | 'subjects'>,
  changes: Changes,
): Promise<{ request: object; subject: Subject }> {
  const { call, requestContext, rawPath, rawQueryString } = event
  const { caller, now, body } = call
  if (asked.rules.length === 0)
    throw new Refusal('RULE_BROKEN', `This call needs no approval: make it without ${APPROVAL_REASON}.`)
  const of = {
    action: actionOf(route.operation.declaration),
    method: requestContext.http.method,
    path: rawPath,
    query: rawQueryString,
    body: bodyForApprovers(body),
    digest: await digestOf(event),
  }
  return (await approvals()).ask({ caller, now, ...of, ...asked }, changes)
}

/** Records the refusal of a call that used an approval. */
export async function recordRefused({ call }: HttpEvent, error: unknown): Promise<void> {
  const { claim, hasBegunEffects, traceId } = call
  if (claim === undefined) return
  const status = error instanceof Refusal ? REFUSALS[error.reason].status : 500
  await claim.refused(status, hasBegunEffects).catch((failure: unknown) => {
    log('warn', 'the approval of a refused call stays in use', { traceId, ...errorFields(failure) })
  })
}
