import { fieldsOf } from '../../toolkit/json-body.ts'
import { ServiceError } from '../../toolkit/service-error.ts'
import type { Caller } from '../authentication/caller.ts'
import { isObject, withoutSecrets } from './secret-members.ts'
import { uuidOf } from '../accounts/accounts.ts'
import { arnOf } from '../accounts/regions.ts'
import type { CloudState } from '../state/cloud-state.ts'

/** One call in an account's trail. Its record is generated when the log is read. */
export interface TrailEvent {
  readonly id: string
  /** In milliseconds. */
  readonly at: number
  /** `kms`, `sts`, ... */
  readonly service: string
  readonly operation: string
  readonly principal: Pick<Caller, 'arn' | 'userId'> & { readonly accessKeyId: string }
  readonly userAgent: string
  readonly input: Readonly<Record<string, unknown>>
  /** The key of the call, if any. */
  readonly keyArn: string | undefined
  readonly refusal: { readonly code: string; readonly message: string } | undefined
}

/**
 * The log groups of all accounts' trails, one per region. Ours: only the most recent events, in memory. The real trail
 * keeps everything, which would fill the disk of a laptop.
 */
export interface Trail {
  readonly note: (account: string, region: string, events: readonly TrailEvent[]) => void
  /** Up to `count` events from a position, and the position after them; the first position is 0. */
  readonly from: (account: string, region: string, position: number, count: number) => Stretch
}

interface Stretch {
  readonly events: readonly TrailEvent[]
  readonly next: number
  readonly isEnd: boolean
}

const KEPT_EVENTS = 200_000

export function createTrail(): Trail {
  const logs = new Map<string, { dropped: number; events: TrailEvent[] }>()
  const logOf = (account: string, region: string) => {
    const name = `${account} ${region}`
    const log = logs.get(name) ?? { dropped: 0, events: [] }
    logs.set(name, log)
    return log
  }
  return {
    note: (account, region, events) => {
      const log = logOf(account, region)
      for (const event of events) log.events.push(event)
      if (log.events.length < 2 * KEPT_EVENTS) return
      log.dropped += log.events.length - KEPT_EVENTS
      log.events = log.events.slice(-KEPT_EVENTS)
    },
    from: (account, region, position, count) => {
      const { dropped, events } = logOf(account, region)
      const start = Math.max(0, position - dropped)
      const found = events.slice(start, start + count)
      return { events: found, next: dropped + start + found.length, isEnd: start + found.length >= events.length }
    },
  }
}

/** Large or secret members, which records omit. */
const UNSHOWN = new Set([
  'CiphertextBlob',
  'ImportToken',
  'GrantToken',
  'GrantTokens',
  'Signature',
  'Mac',
  'TrustAnchorCertificate',
])

const spelled = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1)

const parametersOf = (input: TrailEvent['input']): object =>
  Object.fromEntries(
    Object.entries(withoutSecrets(input))
      .filter(([name]) => !UNSHOWN.has(name))
      .map(([name, value]) => [spelled(name), value]),
  )

/** Prefixes of operations that change nothing. */
const READ_ONLY = /^(Describe|Get|List|Decrypt|Encrypt|Generate|ReEncrypt|Sign|Verify|Filter)/

/** The record of a call in the form of the cloud's trail, version 1.08. */
export function recordOf(account: string, region: string, event: TrailEvent): Readonly<Record<string, unknown>> {
  const { service, operation, principal, refusal, keyArn } = event
  const [, , , , , resource = ''] = principal.arn.split(':')
  const isRole = resource.startsWith('assumed-role/')
  return {
    eventVersion: '1.08',
    userIdentity: {
      type: isRole ? 'AssumedRole' : 'IAMUser',
      principalId: principal.userId,
      arn: principal.arn,
      accountId: account,
      accessKeyId: principal.accessKeyId,
      ...(!isRole && { userName: resource.slice(resource.lastIndexOf('/') + 1) }),
    },
    eventTime: new Date(event.at).toISOString().replace(/\.\d{3}Z$/, 'Z'),
    eventSource: `${service}.amazonaws.com`,
    eventName: operation,
    awsRegion: region,
    sourceIPAddress: '127.0.0.1',
    userAgent: event.userAgent,
    ...(refusal && { errorCode: refusal.code, errorMessage: refusal.message }),
    requestParameters: parametersOf(event.input),
    responseElements: null,
    requestID: event.id,
    eventID: event.id,
    readOnly: READ_ONLY.test(operation),
    ...(keyArn !== undefined && { resources: [{ accountId: account, type: 'AWS::KMS::Key', ARN: keyArn }] }),
    eventType: 'AwsApiCall',
    managementEvent: true,
    recipientAccountId: account,
    eventCategory: 'Management',
  }
}

type Place = Pick<Caller, 'account' | 'region'>

/** The key that a request or its answer names by id, ARN or alias. */
export function keyIn(state: CloudState, { account, region }: Place, members: object): string | undefined {
  const { KeyMetadata, KeyId, TargetKeyId, AliasName } = fieldsOf(members)
  const named = isObject(KeyMetadata) ? KeyMetadata.Arn : (KeyId ?? TargetKeyId ?? AliasName)
  if (typeof named !== 'string') return undefined
  const local = named.startsWith('arn:') ? (named.split(':')[5] ?? '').replace(/^key\//, '') : named
  const alias = local.startsWith('alias/') ? state.shelf(account.id, region).aliases.get(local) : undefined
  const id = alias?.target ?? local
  return state.shelf(account.id, region).keys.has(id) ? arnOf('kms', region, account.id, `key/${id}`) : undefined
}

/** A call in progress. */
interface Arrived {
  readonly caller: Caller
  readonly service: string
  readonly operation: string
  readonly input: TrailEvent['input']
  readonly requestId: string
  readonly userAgent: string
}

/** Runs a call and records it, even if it is refused. Reading logs is not a management event and is not recorded. */
export async function onTrail(
  state: CloudState,
  trail: Trail,
  { caller, service, operation, input, requestId: id, userAgent }: Arrived,
  run: () => object | Promise<object>,
): Promise<object> {
  const asked = keyIn(state, caller, input) // before the call, which may delete an alias
  const note = (keyArn: string | undefined, refusal: TrailEvent['refusal']): void => {
    if (operation === 'FilterLogEvents') return
    const event = { id, at: state.now(), service, operation, principal: caller, userAgent, input, keyArn, refusal }
    trail.note(caller.account.id, caller.region, [event])
  }
  try {
    const output = await run()
    note(asked ?? keyIn(state, caller, output), undefined)
    return output
  } catch (error) {
    if (error instanceof ServiceError) note(asked, { code: error.type, message: error.message })
    throw error
  }
}

/** A seeded entry of the trail. */
export interface SeedEvent {
  readonly at: Date
  readonly operation: string
  readonly keyId: string
  /** Name of the user. */
  readonly user: string
  readonly userAgent?: string
}

/** Adds entries to a trail. Ids depend only on account, region and number. */
export function seedTrail(
  trail: Trail,
  {
    account,
    region,
    count,
    describe,
  }: { account: string; region: string; count: number; describe: (n: number) => SeedEvent },
): void {
  const events = Array.from({ length: count }, (_, n): TrailEvent => {
    const { at, operation, keyId, user, userAgent = 'seeded' } = describe(n)
    const arn = arnOf('iam', region, account, `user/${user}`).replace(`:${region}:`, '::')
    return {
      id: uuidOf(`${account} ${region} ${n}`),
      at: at.getTime(),
      service: 'kms',
      operation,
      principal: { arn, userId: `AIDA${user.toUpperCase()}`, accessKeyId: `AKIA${user.toUpperCase()}` },
      userAgent,
      input: { KeyId: keyId },
      keyArn: arnOf('kms', region, account, `key/${keyId}`),
      refusal: undefined,
    }
  })
  trail.note(account, region, events)
}
