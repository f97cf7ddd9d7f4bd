import { outcomeOfTest, TESTED, type ConnectionTest } from '../../http/connection-test.ts'
import { hasGroup, type Context } from '../../http/context.ts'
import { without } from '../../base/fields.ts'
import { Refusal } from '../../base/errors.ts'
import { ADMIN_GROUP } from '../groups/model.ts'
import { changedBy, madeOf } from './connections.ts'
import { findLoginConnection } from './find-connection.ts'
import type { UnsavedLoginConnection, UpdateLoginConnection } from './model.ts'
import { openSecret } from './secret.ts'
import { loginConnections, type StoredLoginConnection } from './store.ts'
import { NotReached, strategyKind } from './strategies.ts'

async function outcomeOf(record: StoredLoginConnection, secret: string | undefined): Promise<ConnectionTest> {
  try {
    await (await strategyKind(record.strategy)).test(record, secret)
    return { connection_ok: true }
  } catch (error) {
    if (!(error instanceof NotReached)) throw error
    return { connection_ok: false, connection_error: error.message, connection_failed_step: error.step }
  }
}

/** Tests a connection that is not stored. @throws Refusal RULE_BROKEN, NOT_FOUND for a group */
export async function testUnsavedLogin(context: Context, body: UnsavedLoginConnection): Promise<ConnectionTest> {
  const { record, secret } = await madeOf(context, body)
  return context.once('connection test', () => outcomeOf(record, secret ?? undefined))
}

/**
 * Tests a connection and records the result; `body` overrides its fields for this test. Ours: only users who may change
 * the connection may override them, since a test calls the given address.
 * @throws Refusal ACTION_DENIED, NOT_FOUND, RULE_BROKEN
 */
export async function testSavedLogin(
  context: Context,
  nameOrId: string,
  body: UpdateLoginConnection,
): Promise<ConnectionTest> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  if (Object.keys(body).length > 0 && !hasGroup(caller, ADMIN_GROUP))
    throw new Refusal('ACTION_DENIED', 'Only members of admin test a connection with other fields than its own.')
  const stored = await findLoginConnection(domain, nameOrId)
  const { record, secret } = await changedBy(context, stored.item, body)
  const test = await context.once(`connection test ${stored.rev}`, async () =>
    outcomeOf(record, secret === undefined ? await openSecret(domain, stored.item) : (secret ?? undefined)),
  )
  changes.update(loginConnections, domain, stored, {
    ...without(stored.item, ...TESTED),
    ...outcomeOfTest(test, now),
  })
  context.about({ uri: stored.item.uri, name: stored.item.name, after: { ...test } })
  return test
}
