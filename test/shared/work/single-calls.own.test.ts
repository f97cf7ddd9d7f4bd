import { beforeAll, expect, test } from 'vitest'
import { actionTable } from '../../../infra/openapi.ts'
import { Refusal } from '../../../shared/base/errors.ts'
import { assertMayEach } from '../../../shared/cloud/containers/going-records.ts'
import type { Caller } from '../../../shared/http/context.ts'
import { decide, type Single } from '../../../shared/http/decisions.ts'
import { forgetStatements } from '../../../shared/identity/policies/statements.ts'
import { policies, policyAttachments } from '../../../shared/identity/policies/store.ts'
import { Changes } from '../../../shared/store/changes.ts'
import type { Stored } from '../../../shared/store/entity.ts'
import { commonFields, resourceUri, ROOT_DOMAIN_ID, uuid } from '../../../shared/base/ids.ts'
import { workRows } from '../../../shared/work/work-row.ts'
import { jobOperation } from '../../../shared/work/schedule/job-operations/job-operations.ts'
import { useTable } from '../../support/store.ts'
import '../../../shared/wiring.ts'

useTable()

const NOW = new Date('2030-01-01T00:00:00Z')
const caller: Caller = {
  sub: 'local|01890000-0000-7000-8000-000000000000',
  username: 'author',
  domain: { id: ROOT_DOMAIN_ID, name: 'root' },
  homeDomainId: ROOT_DOMAIN_ID,
  groups: ['admin'],
  sessionId: undefined,
}

/** Every verb that changes a record as a member of a job, with the single call that it names. */
async function singles(): Promise<[string, Single][]> {
  const found: [string, Single][] = []
  for (const { name, bulk, rotate, discover, jobOperations = [] } of workRows()) {
    for (const [operation, row] of Object.entries((await bulk?.()) ?? {}))
      found.push([`bulk ${name} ${operation}`, row.single])
    const rotated = await rotate?.()
    for (const rotate_material of [false, true])
      if (rotated)
        found.push([
          `rotation of ${name}`,
          rotated.single({ cloud_a_param: { Origin: 'AWS_KMS' } }, { cloud_a_param: { rotate_material } }),
        ])
    const discovered = await discover?.()
    if (discovered) {
      const { find, add } = discovered
      found.push([`search of ${name}`, find], [`addition in ${name}`, { action: add.action, may: add.may }])
    }
    for (const operation of jobOperations) found.push([`job ${operation.name}`, operation.single])
  }
  for (const name of ['key_rotation', 'keymgr_synchronization']) {
    const single = await jobOperation(name).single('', {} as never, {} as never) // these look at no record
    if (single) found.push([`job ${name}`, single])
  }
  return found
}

let found: [string, Single][]
beforeAll(async () => {
  found = await singles()
})

test('every member of a job is decided by a call that the service has, for its groups', () => {
  const table = actionTable()
  expect(found.length).toBeGreaterThan(15)
  for (const [what, { action, may }] of found) expect(table[action], what).toBe(may)
})

test('a policy that denies the call on a record denies it to every job, on that record only', async () => {
  const denied = resourceUri(ROOT_DOMAIN_ID, 'keymgr', 'any', 'denied')
  const other = resourceUri(ROOT_DOMAIN_ID, 'keymgr', 'any', 'other')
  const common = (kind: string) => {
    const id = uuid(NOW)
    return commonFields(ROOT_DOMAIN_ID, id, resourceUri(ROOT_DOMAIN_ID, 'admin', kind, id), NOW)
  }
  const policy = {
    ...common('policies'),
    name: 'denies all jobs',
    effect: 'deny' as const,
    actions: [...new Set(found.map(([, { action }]) => action))],
    resources: [denied],
    conditions: [],
    include_descendant_accounts: false,
    attachments: 1,
  }
  const changes = new Changes()
  changes.create(policies, ROOT_DOMAIN_ID, policy)
  const attachment = { ...common('policy-attachments'), policy_id: policy.id, principal: { sub: caller.sub } }
  changes.create(policyAttachments, ROOT_DOMAIN_ID, attachment)
  await changes.commit(NOW)
  forgetStatements(ROOT_DOMAIN_ID)
  for (const [what, single] of found) {
    const { isSame, refusalOf } = await decide(caller, single, NOW)
    expect(isSame, what).toBe(false)
    expect(refusalOf({ uri: denied })?.reason, what).toBe('ACTION_DENIED')
    expect(refusalOf({ uri: other }), what).toBeUndefined()
  }
})

const THINGS = 'things of a container'

/** A kind of record in a container, as a going container reads it. @param stored as salvaged from the table */
const goingThings = (stored: readonly Stored<Thing>[]) => ({
  entity: {
    membersAfter: () => Promise.resolve(stored.map((_, at) => ({ key: String(at), id: String(at) }))),
    getMany: (_domain: string, _ids: readonly string[], broken?: string) =>
      broken === 'salvage' ? Promise.resolve([...stored]) : Promise.reject(new Refusal('DAMAGED', 'damaged')),
  },
  family: THINGS,
  action: found[0]?.[1].action ?? '',
})
interface Thing {
  readonly uri: string
}
const damagedThing = (was: object): Stored<Thing> => ({
  item: {} as Thing,
  rev: 1,
  damage: { fields: ['name'], was: was as Thing, id: 'damaged' },
})

test('a container is removed with a damaged record, unless a policy denies that record or its uri is lost', async () => {
  const at = (record: string) => ({ uri: resourceUri(ROOT_DOMAIN_ID, 'keymgr', 'any', record) })
  const going = (was: object) => assertMayEach({ caller, now: NOW }, goingThings([damagedThing(was)]))
  await expect(going(at('other'))).resolves.toBeUndefined()
  await expect(going(at('denied'))).rejects.toMatchObject({ reason: 'ACTION_DENIED' })
  await expect(going({ name: 5 })).rejects.toMatchObject({ reason: 'DAMAGED' })
})

test('a job does nothing to a record that no group of its author permits', async () => {
  for (const [what, single] of found) {
    const { refusalOf } = await decide({ ...caller, sub: 'local|nobody', groups: [] }, single, NOW)
    expect(refusalOf({ uri: 'any' })?.reason, what).toBe('ACTION_DENIED')
  }
})
