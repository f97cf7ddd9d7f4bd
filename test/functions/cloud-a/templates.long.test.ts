import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { childAdmin } from '../../support/callers.ts'
import type { Answered } from '../../support/service.ts'
import { expectRefused } from '../vault/vault.ts'
import { CLOUD_A, keysOf, REGION, useCloudA } from './cloud-a.ts'

/** Named key policies, and the keys to which they are applied. */
const tests = useCloudA()
let keys: ReturnType<typeof keysOf>

const TEMPLATES = `${CLOUD_A}/templates`
const NOWHERE = `${TEMPLATES}/01890000-0000-7000-8000-00000000ffff`

beforeAll(() => {
  keys = keysOf(tests().admin)
})
beforeEach(() => tests().cloud.reset())

const create = (body: object): Promise<any> => tests().admin.ok('POST', TEMPLATES, { kms: 'main', ...body })
const tryCreate = (body: object): Promise<Answered> => tests().admin.call('POST', TEMPLATES, body)
const get = (id: string): Promise<any> => tests().admin.ok('GET', `${TEMPLATES}/${id}`)
const update = (id: string, body: object): Promise<any> => tests().admin.ok('PATCH', `${TEMPLATES}/${id}`, body)
const tryUpdate = (id: string, body: object, headers?: Record<string, string>): Promise<Answered> =>
  tests().admin.call('PATCH', `${TEMPLATES}/${id}`, body, headers)
const tryRemove = (id: string, headers?: Record<string, string>): Promise<Answered> =>
  tests().admin.call('DELETE', `${TEMPLATES}/${id}`, undefined, headers)
const namesOf = async (query: string): Promise<string[]> =>
  (await tests().admin.ok('GET', `${TEMPLATES}?limit=1000&${query}`)).resources.map(({ name }: any) => name as string)

/** The statement that delegates the decision to the account's IAM policies. */
const ownerOf = (account: string) => ({
  Sid: 'Enable IAM User Permissions',
  Effect: 'Allow',
  Principal: { AWS: [`arn:aws:iam::${account}:root`] },
  Action: 'kms:*',
  Resource: '*',
})
const policyWith = (sid: string): string => {
  const document = { Version: '2012-10-17', Statement: [{ ...ownerOf(tests().account.id), Sid: sid }] }
  return JSON.stringify(document)
}

describe('a template', () => {
  test('has the policy generated from its lists, and is found by its id, its entry and its account', async () => {
    const { kms, account } = tests()
    const template = await create({ name: 'from lists', key_admins: ['alice'], key_users: ['bob'] })
    const { id, uri, account: owner, application, devAccount, createdAt, updatedAt, policy, ...rest } = template
    expect(rest).toEqual({
      name: 'from lists',
      kms: 'main',
      kms_id: kms.id,
      account_id: account.id,
      key_admins: ['alice'],
      key_users: ['bob'],
      is_verified: false,
    })
    expect(uri).toMatch(new RegExp(`^keymgr:[0-9a-f-]+:keymgr:cloud-a-template:${id}$`))
    expect([owner, application, devAccount].every((text) => String(text).startsWith('keymgr:'))).toBe(true)
    expect(createdAt).toBe(updatedAt)
    expect(policy.Statement[0]).toEqual(ownerOf(account.id))
    expect(policy.Statement).toHaveLength(4)
    expect(await get(id as string)).toEqual(template)
    await create({ name: 'from a text', Policy: policyWith('a') })
    for (const query of [`id=${id}`, 'name=from+l*', 'kms=main&name=*lists', `kms=${kms.id}&name=*lists`])
      expect(await namesOf(query), query).toEqual(['from lists'])
    expect(await namesOf(`account_id=${account.id}&is_verified=false`)).toContain('from lists')
    expect(await namesOf('is_verified=true')).not.toContain('from lists')
    expect(await namesOf('account_id=000000000000')).toEqual([])
    expect(await namesOf('kms=another')).toEqual([])
  })

  test('is created for an account, and belongs to all of its entries', async () => {
    const { admin, cloud, entry, user } = tests()
    const [, account] = cloud.accounts
    const { id: account_id = '' } = account ?? {}
    const none = await tryCreate({ name: 'by account', account_id, key_users: ['bob'] })
    expectRefused(none, 404, 5, '#/account_id')
    const entries = [await entry('of the second', { account }), await entry('of the second too', { account })]
    const template = await admin.ok('POST', TEMPLATES, { name: 'by account', account_id, key_users: ['bob'] })
    const { id, policy } = template
    expect(template).toMatchObject({ account_id, is_verified: false })
    for (const field of ['kms', 'kms_id']) expect(Object.keys(template as object)).not.toContain(field)
    expect(policy.Statement[0]).toEqual(ownerOf(account_id))
    for (const { name } of entries)
      expect(await keys.create({ kms: name, policytemplate: id })).toMatchObject({ cloud_a_param: { Policy: policy } })
    expect(await namesOf(`account_id=${account_id}&is_verified=true`)).toEqual(['by account'])
    expect(await namesOf('kms=of+the+second')).toEqual([])
    expectRefused(await keys.tryCreate({ policytemplate: id }), 422, 2, '#/policytemplate')

    const { holder, sub } = await user('reader of one', ['keymgr Users'])
    const path = `${TEMPLATES}/${id as string}`
    expectRefused(await holder.call('GET', path), 404, 5)
    await admin.ok('POST', `${CLOUD_A}/kms/${entries[1].id}/update-acls`, {
      acls: [{ user_id: sub, permit: true, actions: ['viewnative'] }],
    })
    expect(await holder.ok('GET', path)).toMatchObject({ name: 'by account', account_id })
    expect((await holder.ok('GET', TEMPLATES)).total).toBe(1)

    await admin.ok('POST', `${CLOUD_A}/kms/${entries[0].id}/archive`)
    expect(await update(id as string, { key_users: ['carol'], auto_push: false })).toMatchObject({
      key_users: ['carol'],
    })
    await admin.ok('POST', `${CLOUD_A}/kms/${entries[1].id}/archive`)
    expectRefused(await tryUpdate(id as string, { key_users: [], auto_push: false }), 409, 8)
    expectRefused(await tryCreate({ name: 'of archived ones', account_id, key_users: ['bob'] }), 409, 8)
    for (const { id: kms } of entries) await admin.ok('DELETE', `${CLOUD_A}/kms/${kms}`)
    expect(await get(id as string)).toMatchObject({ account_id })
    expectRefused(await holder.call('GET', path), 404, 5)
    expect((await holder.ok('GET', TEMPLATES)).total).toBe(0)
    const alone = await tryUpdate(id as string, { key_users: [], auto_push: false })
    expectRefused(alone, 409, 8)
    expect(alone.body.detail).toContain('has no KMS entry any more')
    await entry('of the second anew', { account })
    await update(id as string, { key_users: [], auto_push: false })
    expect((await tryRemove(id as string)).status).toBe(200)
  })

  test('applies its policy to keys created with it, and is verified by that', async () => {
    const { id, policy } = await create({ name: 'used', key_users: ['bob'] })
    const key = await keys.create({ policytemplate: id })
    expect(key).toMatchObject({ policy_template_id: id, cloud_a_param: { Policy: policy } })
    expect(key.cloud_a_param.Tags).toContainEqual({ TagKey: 'keymgr_policy_template_id', TagValue: id })
    expect((await get(id as string)).is_verified).toBe(true)
  })

  test('that the cloud refuses is not verified', async () => {
    const { id } = await create({ name: 'refused there', Policy: policyWith('refused') })
    tests().cloud.inject({ fault: 'access-denied', operation: 'CreateKey' })
    expectRefused(await keys.tryCreate({ policytemplate: id }), 502, 16)
    expect((await get(id as string)).is_verified).toBe(false)
  })

  test('changes in the given lists, or as a whole by a text', async () => {
    const { id } = await create({ name: 'changed', key_admins: ['alice'], key_users: ['bob'] })
    const without = await update(id as string, { key_admins: [] })
    expect(without).toMatchObject({ key_admins: [], key_users: ['bob'] })
    expect(JSON.stringify(without.policy)).not.toContain('alice')
    expect(JSON.stringify(without.policy)).toContain('bob')
    const text = await update(id as string, { Policy: policyWith('whole') })
    expect(text.policy).toEqual(JSON.parse(policyWith('whole')))
    for (const list of ['key_admins', 'key_users']) expect(Object.keys(text as object)).not.toContain(list)
    expect(await update(id as string, {})).toEqual(text)
    expect(await get(id as string)).toEqual(text)
    const [record] = await tests().records(
      `message=Update%20Cloud-a%20Policy%20Template&resource_uri=${text.uri as string}`,
    )
    expect(record.details).toMatchObject({ before: { key_admins: ['alice'] }, after: { key_admins: [] } })
  })

  test('that is verified changes with or without the keys that have its tag, as requested', async () => {
    const { id } = await create({ name: 'pushed', Policy: policyWith('first') })
    const [one, two] = [await keys.create({ policytemplate: id }), await keys.create({ policytemplate: id })]
    const other = await keys.create({})
    expectRefused(await tryUpdate(id as string, { Policy: policyWith('second') }), 422, 2, '#/auto_push')
    await update(id as string, { Policy: policyWith('second'), auto_push: false })
    expect((await keys.get(one.id as string)).cloud_a_param.Policy.Statement[0].Sid).toBe('first')
    expect(await update(id as string, { Policy: policyWith('third'), auto_push: true })).toMatchObject({
      policy: JSON.parse(policyWith('third')),
    })
    const { resources } = await tests().admin.ok('GET', `${CLOUD_A}/bulkjob?operation=applypolicytemplate`)
    expect(resources).toMatchObject([
      {
        policy_template_id: id,
        overall_status: 'completed',
        detailed_status: { [one.id]: 'Success', [two.id]: 'Success' },
      },
    ])
    for (const key of [one, two]) {
      expect(JSON.parse(tests().seen(key).policy ?? '{}')).toEqual(JSON.parse(policyWith('third')))
      expect((await keys.get(key.id as string)).cloud_a_param.Policy.Statement[0].Sid).toBe('third')
    }
    expect((await keys.get(other.id as string)).cloud_a_param.Policy.Statement[0].Sid).not.toBe('third')
  })

  test('pushes to more than a hundred keys in several jobs', async () => {
    const { account, cloud, admin } = tests()
    const { id } = await create({ name: 'of many', Policy: policyWith('many') })
    await keys.create({ policytemplate: id })
    const tags = { keymgr_policy_template_id: id as string }
    cloud.seed({ account: account.id, region: REGION, count: 101, describe: () => ({ tags }) })
    await admin.ok('POST', `${CLOUD_A}/synchronization-jobs`, { kms: ['main'], regions: [REGION] })
    await expect
      .poll(async () => (await keys.list(`?tags=keymgr_policy_template_id%3D${id}`)).total as number, {
        timeout: 20_000,
      })
      .toBe(102)
    await expect
      .poll(
        async () =>
          (await admin.ok('GET', `${CLOUD_A}/synchronization-jobs?limit=1`)).resources[0].overall_status as string,
        { timeout: 20_000 },
      )
      .toBe('completed')
    await update(id as string, { auto_push: true })
    const { resources } = await admin.ok('GET', `${CLOUD_A}/bulkjob?limit=2`)
    expect(resources.map((job: any) => job.keys.length as number).sort()).toEqual([100, 2])
    for (const job of resources) await admin.call('POST', `${CLOUD_A}/bulkjob/${job.id}/cancel`)
    tests().advance(61_000)
    await tests().sweep()
  })

  test('can be deleted only when no key has its tag', async () => {
    const { id } = await create({ name: 'to go', Policy: policyWith('go') })
    const key = await keys.create({ policytemplate: id })
    const inUse = await tryRemove(id as string)
    expectRefused(inUse, 409, 9)
    expect(inUse.body.detail).toContain("1 key carries the template's tag")
    await keys.act(key.id as string, 'remove-tags', { tags: ['keymgr_policy_template_id'] })
    expectRefused(await tryRemove(id as string, { 'if-match': '"1"' }), 412, 8)
    expect(await tryRemove(id as string)).toMatchObject({ status: 200, body: { status: 204 } })
    expectRefused(await tryRemove(id as string), 404, 5)
    expectRefused(await tests().admin.call('GET', `${TEMPLATES}/${id}`), 404, 5)
  })

  test('is detached from a deleted key, and deleted with its entry', async () => {
    const entry = await tests().entry('short-lived')
    const { id } = await create({ name: 'of a gone key', kms: 'short-lived', Policy: policyWith('gone') })
    const key = await keys.create({ kms: 'short-lived', policytemplate: id })
    tests().cloud.forget(tests().account.id, REGION, key.cloud_a_param.KeyID as string)
    await keys.act(key.id as string, 'refresh')
    expect((await tryRemove(id as string)).status).toBe(200)
    const second = await create({ name: 'of a gone entry', kms: 'short-lived', Policy: policyWith('gone') })
    await tests().admin.ok('DELETE', `${CLOUD_A}/kms/${entry.id}`)
    expectRefused(await tests().admin.call('GET', `${TEMPLATES}/${second.id}`), 404, 5)
    expect(await namesOf('name=of+a+gone*')).toEqual([])
  })
})

describe('a template is refused', () => {
  test.each([
    ['without a policy', { name: 'x', kms: 'main' }, 422, ['#/Policy']],
    ['with a text and lists', { name: 'x', kms: 'main', Policy: '{}', key_users: ['bob'] }, 422, ['#/Policy']],
    ['with a text that is no document', { name: 'x', kms: 'main', Policy: '[]' }, 422, ['#/Policy']],
    ['with a text that is no JSON', { name: 'x', kms: 'main', Policy: '{' }, 422, ['#/Policy']],
    ['with a list member that is no name', { name: 'x', kms: 'main', key_users: ['a b'] }, 422, ['#/key_users/0']],
    [
      'for an entry and an account',
      { name: 'x', kms: 'main', account_id: '111122223333', Policy: '{}' },
      422,
      ['#/kms'],
    ],
    ['for neither', { name: 'x', Policy: '{}' }, 422, ['#/kms']],
    ['for an account that is none', { name: 'x', account_id: '1', Policy: '{}' }, 422, ['#/account_id']],
    ['for an entry that is not there', { name: 'x', kms: 'nobody', Policy: '{}' }, 404, ['#/kms']],
    ['with an unknown field', { name: 'x', kms: 'main', Policy: '{}', policytemplate: 'y' }, 400, ['#/policytemplate']],
  ])('%s', async (_what, body, status, fields) => {
    const code = { 400: 1, 404: 5, 422: 2 }[status] ?? 0
    expectRefused(await tryCreate(body), status, code, ...fields)
  })

  test('under a name that is taken', async () => {
    await create({ name: 'twice', Policy: policyWith('a') })
    expectRefused(await tryCreate({ name: 'twice', kms: 'main', Policy: policyWith('a') }), 409, 7, '#/name')
  })

  test('while its entry is archived', async () => {
    const entry = await tests().entry('archived')
    const { id } = await create({ name: 'of an archived', kms: 'archived', Policy: policyWith('a') })
    await tests().admin.ok('POST', `${CLOUD_A}/kms/${entry.id}/archive`)
    expectRefused(await tryCreate({ name: 'another', kms: 'archived', Policy: policyWith('a') }), 409, 8)
    expectRefused(await tryUpdate(id as string, { Policy: policyWith('b') }), 409, 8)
    expect((await get(id as string)).name).toBe('of an archived')
  })

  test('for a stale revision, and for a field that it does not have', async () => {
    const { id } = await create({ name: 'stale', Policy: policyWith('a') })
    await update(id as string, { Policy: policyWith('b') })
    expectRefused(await tryUpdate(id as string, { Policy: policyWith('c') }, { 'if-match': '"1"' }), 412, 8)
    expectRefused(await tryUpdate(id as string, { name: 'renamed' }), 400, 1, '#/name')
    expectRefused(await tryUpdate(id as string, { Policy: '{}', key_users: [] }), 422, 2, '#/Policy')
    expectRefused(await tests().admin.call('PATCH', NOWHERE, {}), 404, 5)
    expectRefused(await tests().admin.call('GET', `${TEMPLATES}?nmae=x`), 400, 1, 'nmae')
  })

  test('for an account that differs from the key’s', async () => {
    const [, , account] = tests().cloud.accounts
    await tests().entry('of the third', { account })
    const { id } = await create({ name: 'elsewhere', kms: 'of the third', Policy: policyWith('a') })
    expectRefused(await keys.tryCreate({ policytemplate: id }), 422, 2, '#/policytemplate')
  })

  test('to users, except for reading templates of visible entries, and to other domains', async () => {
    const { holder, sub } = await tests().user('reader', ['keymgr Users'])
    const entry = await tests().entry('seen')
    const { id } = await create({ name: 'seen by some', kms: 'seen', Policy: policyWith('a') })
    const path = `${TEMPLATES}/${id}`
    expectRefused(await holder.call('GET', path), 404, 5)
    expect((await holder.ok('GET', TEMPLATES)).total).toBe(0)
    await tests().admin.ok('POST', `${CLOUD_A}/kms/${entry.id}/update-acls`, {
      acls: [{ user_id: sub, permit: true, actions: ['viewnative'] }],
    })
    expect((await holder.ok('GET', path)).name).toBe('seen by some')
    expect((await holder.ok('GET', TEMPLATES)).resources.map(({ name }: any) => name as string)).toEqual([
      'seen by some',
    ])
    for (const [method, at, body] of [
      ['POST', TEMPLATES, { name: 'x', kms: 'seen', Policy: policyWith('a') }],
      ['PATCH', path, {}],
      ['DELETE', path, undefined],
    ] as const)
      expectRefused(await holder.call(method, at, body), 403, 4)
    const { service } = tests()
    const { child } = await childAdmin(service, 'templates-child')
    expect((await service.call('GET', path, { token: child })).status).toBe(404)
    expect((await service.call('PATCH', path, { token: child, body: {} })).status).toBe(404)
  })
})
