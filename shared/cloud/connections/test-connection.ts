import type { Context } from '../../http/context.ts'
import { isPostponed } from '../../base/attempts.ts'
import { Refusal } from '../../base/errors.ts'
import { uuid } from '../../base/ids.ts'
import { outcomeOfTest, type ConnectionTest } from '../../http/connection-test.ts'
import { OWN_PRODUCT, type ChangedOfConnection, type GivenOfConnection } from './bodies.ts'
import { connections, type StoredConnection } from './store.ts'
import type { Stored } from '../../store/entity.ts'
import { without } from '../../base/fields.ts'
import { changedConnection, entryText } from './connections.ts'
import { failedStep } from './failed-step.ts'
import { findConnectionOf } from './find-connection.ts'
import type { Secrets } from './kind.ts'
import { connectionKind } from './kinds.ts'
import { openSecrets } from './open-connection.ts'
import { secretsOf } from './requests/requests.ts'
import { wakeUsers } from './users-of.ts'

const TEST_MS = 10_000

/**
 * Calls the cloud, always as for a new connection: a cached result would prove nothing.
 * @throws Refusal CLOUD_UNAVAILABLE while the cloud accepts no log-in, so that the connection stays as it was tested before
 */
async function outcomeOf(kind: string, fields: object, secrets: Secrets | null, now: Date): Promise<ConnectionTest> {
  try {
    await (await connectionKind(kind)).test(fields, secrets ?? {}, uuid(now), AbortSignal.timeout(TEST_MS))
    return { connection_ok: true }
  } catch (error) {
    if (!(error instanceof Refusal) || isPostponed(error)) throw error
    return { connection_ok: false, connection_error: error.message, connection_failed_step: failedStep(error) }
  }
}

/** Tests a connection that is not stored. @throws Refusal NOT_SUPPORTED, RULE_BROKEN */
export async function testUnsaved(
  { caller, now }: Context,
  kind: string,
  body: GivenOfConnection,
): Promise<ConnectionTest> {
  const own = without(body, 'description', 'products', 'labels', 'meta')
  const taken = { domain: caller.domain.id, now, isTest: true }
  const { fields, ...secret } = await (await connectionKind(kind)).made(taken, own)
  return outcomeOf(kind, fields, (await secretsOf(taken, secret)) ?? null, now)
}

/** Tests once per request, even when its verb runs again, unless the connection changed meanwhile. */
async function outcomeOnce(
  context: Context,
  stored: Stored<StoredConnection>,
  kind: string,
  body: ChangedOfConnection,
): Promise<ConnectionTest> {
  const domain = context.caller.domain.id
  const taken = { domain, now: context.now, isTest: true }
  const { record, ...secret } = await changedConnection(taken, stored.item, body)
  const secrets = await secretsOf(taken, secret)
  const { sealed = '' } = stored.item
  return context.once(`connection test ${await entryText(record)} ${sealed}`, async () => {
    const used = secrets === undefined ? await openSecrets(domain, stored.item) : secrets
    return outcomeOf(kind, (await connectionKind(kind)).fieldsOf(record), used, context.now)
  })
}

/** The record with the outcome of a test. Ours: a test does not change the connection, so `updatedAt` stays. */
const noted = (
  { last_connection_error: _error, last_connection_failed_step: _step, ...connection }: StoredConnection,
  test: ConnectionTest,
  now: Date,
): StoredConnection => ({ ...connection, ...outcomeOfTest(test, now) })

/**
 * Tests a connection and records the outcome; `body` overrides its fields for this test.
 * @throws Refusal NOT_FOUND, NOT_SUPPORTED, RULE_BROKEN; a refusal by the cloud is an outcome
 */
export async function testSaved(
  context: Context,
  kind: string,
  nameOrId: string,
  body: ChangedOfConnection,
): Promise<ConnectionTest> {
  const { caller, changes, now } = context
  const stored: Stored<StoredConnection> = await findConnectionOf(kind, context, nameOrId)
  const test = await outcomeOnce(context, stored, kind, body)
  changes.update(connections, caller.domain.id, stored, noted(stored.item, test, now))
  if (test.connection_ok) wakeUsers(context, stored.item.id)
  context.about({ uri: stored.item.uri, name: stored.item.name, after: { ...test }, record: stored.item })
  return test
}

const unusable = (detail: string): Refusal =>
  new Refusal('RULE_BROKEN', `The connection ${detail}`, { errors: [{ pointer: '#/connection', detail }] })

/**
 * Prepares a connection for use by a container. A connection that is not ready is tested first. Stages the connection's
 * record, with the outcome or unchanged, so that a concurrent deletion fails its condition and checks for users again.
 * A failed test is recorded although the request is refused.
 * @throws Refusal RULE_BROKEN, pointing at `connection`
 */
export async function proveConnection(context: Context, stored: Stored<StoredConnection>): Promise<void> {
  const { caller, changes, despiteRefusal, now } = context
  const { item } = stored
  if (!item.products.includes(OWN_PRODUCT)) throw unusable(`is not for use by ${OWN_PRODUCT}: see its products.`)
  if (item.last_connection_ok === true) return changes.update(connections, caller.domain.id, stored, item)
  const test = await outcomeOnce(context, stored, item.service, {})
  const after = noted(item, test, now)
  if (test.connection_ok) return changes.update(connections, caller.domain.id, stored, after)
  despiteRefusal.update(connections, caller.domain.id, stored, after)
  throw unusable(`does not connect: ${test.connection_error ?? ''}`)
}
