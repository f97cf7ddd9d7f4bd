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
  /** as sent */
  readonly path: string
  readonly query: string
  /** without secrets */
  readonly body: unknown
  /** identifies the call, without revealing it */
  readonly digest: string
  readonly reason: string
  /** of its dry run, if it has one */
  readonly changes: DryRun['changes']
  /** URIs of the existing records that it names, if it was tried */
  readonly subjects: readonly string[]
  /** ids of the rules */
  readonly rules: readonly string[]
}

/** What the rules on approval decide, for every call and every second way. */
export interface Approvals {
  readonly rulesFor: (caller: Caller, action: string, now: Date) => Promise<RulesOfCaller>
  /** Stages a request. @returns it as answers show it, and its subject */
  readonly ask: (asked: AskedCall, changes: Changes) => Promise<{ request: object; subject: Subject }>
  /** @throws Refusal NOT_FOUND, STATE_CONFLICT, RULE_BROKEN for another call than the approved one */
  readonly claim: (id: string, use: Pick<AskedCall, 'caller' | 'now' | 'digest' | 'rules'>) => Promise<Claim>
}

/**
 * Whether rules may ask for approval of an operation. Ours: reading is never ruled, and neither are calls without a token
 * of a domain.
 */
export function mayBeRuled(route: Route): boolean {
  const { may } = route.operation.declaration
  return isWrite(route) && PERMISSIONS[may].token && may !== 'platform-clients'
}

const approvals = (): Promise<Approvals> => onlyOf('approvals')

/** The refusal of an action that needs an approval which its caller has not; `undefined` if it needs none. */
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
 * Makes the approval that a call uses its `Idempotency-Key`, in place of another one: whoever repeats the call resumes
 * what an interrupted one began, and a POST gets its first answer again.
 */
export function keyByApproval(event: HttpEvent): void {
  const id = approvalIdOf(event)
  if (id !== undefined) event.headers['idempotency-key'] = id
}

/** The body as it is compared: JSON whatever the order of its fields, or the text. */
function comparedBody({ body = '', isBase64Encoded, headers }: HttpEvent): string {
  const text = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8').toString('utf8')
  const isJson = headers['content-type']?.trim().toLowerCase().startsWith('application/json') === true
  return isJson && text !== '' ? `json ${canonicalJson(JSON.parse(text))}` : `text ${text}`
}

/**
 * Identifies method, address and body of a call: a keyed name, since a body may have a short secret that a plain digest
 * would give away.
 */
function digestOf(event: HttpEvent): Promise<string> {
  const { call, requestContext, rawPath, rawQueryString } = event
  const digest = createHash('sha256')
  for (const part of ['approval', requestContext.http.method, rawPath, rawQueryString, comparedBody(event)])
    digest.update(`${Buffer.byteLength(part)}:`).update(part)
  return requestName(call.caller.domain.id, digest.digest('hex'), call.now)
}

const HIDDEN = '(not shown)'
/** Ours: names of fields whose texts may be secret. Better a field too many than a secret shown to approvers. */
const SECRET =
  /pass|secret|token|credential|private|material|pfx|api_?key|key_?(?:bytes|file|pem)|plaintext|^(?:value|data|code|key|iv|nonce|defaultiv|macsignature|evidence|certificate|ext_cert|cert)$/i
const TEXT_CHARACTERS = 256
const MEMBERS = 50

/** What approvers see of a body: no texts that may be secret, and none that are long. */
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

/** Ours: a larger body is not shown, which keeps a request well below the table's limit for an item. */
const BODY_BYTES = 16_000

function bodyForApprovers(body: unknown): object | undefined {
  if (!isObject(body)) return undefined
  const shown = shownBody(body) as object // of an object
  return Buffer.byteLength(JSON.stringify(shown)) <= BODY_BYTES ? shown : { body: HIDDEN }
}

/** The approval of a call: what it has to do besides its operation. */
type Approving =
  | { readonly does: 'nothing' }
  | { readonly does: 'asks'; readonly reason: string; readonly rules: readonly string[] }
  | { readonly does: 'uses'; readonly claim: Claim }

const idIn = (path: unknown): string | undefined =>
  isObject(path) && typeof path.id === 'string' ? path.id : undefined

/**
 * What a call of a route needs. An approved request is claimed, so that no other call uses it meanwhile.
 * @throws Refusal ACTION_DENIED for a call that needs an approval and has none; RULE_BROKEN for a call that asks for one
 * without need; those of `claim`
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

/** Decides about a further action that a call does to a record. @throws Refusal ACTION_DENIED */
export function assertApprovedUse({ rules, claim }: Call, action: string): void {
  const unmet = rules?.over(action).filter((rule) => claim?.rules.includes(rule) !== true) ?? []
  if (rules !== undefined && unmet.length > 0) throw rules.refusalOf(action, unmet)
}

/** Refuses an approved call whose path now names another record. @throws Refusal STATE_CONFLICT */
export function assertApprovedSubject({ claim }: Call, { uri, record }: Subject): void {
  if (claim === undefined || claim.subjects.length === 0 || record === undefined || claim.subjects.includes(uri)) return
  throw new Refusal('STATE_CONFLICT', 'What this call names is not the record that was there when it was approved.')
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
