import { describe, expect, test } from 'vitest'
import { expectRefused } from '../../vault/vault.ts'
import { CLOUD_A, OTHER_REGION, REGION } from '../cloud-a.ts'
import { native, keys, cloudA } from './set-up.ts'

describe('tags', () => {
  const tagsOf = ({ cloud_a_param: { Tags } }: any): Record<string, string> =>
    Object.fromEntries(Tags.map(({ TagKey, TagValue }: any) => [TagKey, TagValue]))

  test('are added, overwritten and removed', async () => {
    const key = await native({ Tags: [{ TagKey: 'team', TagValue: 'one' }] })
    const tags = [
      { tag_key: 'team', tag_value: 'two' },
      { tag_key: 'stage', tag_value: '' },
    ]
    const tagged = await keys.act(key.id, 'add-tags', { tags })
    expect(tagsOf(tagged)).toEqual({ keymgr_key_id: key.id, team: 'two', stage: '' })
    expect(cloudA().seen(key).tags).toEqual(tagsOf(tagged))
    const left = await keys.act(key.id, 'remove-tags', { tags: ['team'] })
    expect(tagsOf(left)).toEqual({ keymgr_key_id: key.id, stage: '' })
    expect(cloudA().seen(key).tags).toEqual(tagsOf(left))
  })

  test('are limited to 50', async () => {
    const key = await native()
    const some = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, n) => ({ tag_key: `t${from + n}`, tag_value: '' }))
    await keys.act(key.id as string, 'add-tags', { tags: some(0, 49) })
    const Tags = some(0, 49).map(({ tag_key: TagKey }) => ({ TagKey, TagValue: '' }))
    // Keymgr adds its own tag to the 49 tags.
    expect((await keys.create({ cloud_a_param: { Tags } })).cloud_a_param.Tags).toHaveLength(50)
    expectRefused(await keys.tryAct(key.id as string, 'add-tags', { tags: some(48, 50) }), 422, 2, '#/tags')
    await keys.act(key.id as string, 'add-tags', { tags: some(0, 10) })
    expectRefused(await keys.tryAct(key.id as string, 'add-tags', { tags: some(0, 51) }), 422, 2, '#/tags')
  })

  test.each<[string, string, object, number, string]>([
    ['a reserved one', 'add-tags', { tag_key: 'keymgr_policy_template_id', tag_value: 'x' }, 422, '#/tags/0/tag_key'],
    ["the cloud's own", 'add-tags', { tag_key: 'Aws:mine', tag_value: 'x' }, 422, '#/tags/0/tag_key'],
    ["the service's own mark", 'add-tags', { tag_key: 'keymgr_key_id', tag_value: 'x' }, 422, '#/tags/0/tag_key'],
    ['a value with spaces', 'add-tags', { tag_key: 'a', tag_value: 'b c' }, 422, '#/tags/0/tag_value'],
    ["the cloud's spelling", 'add-tags', { TagKey: 'a', TagValue: 'b' }, 400, '#/tags/0/TagKey'],
  ])('are not %s', async (_what, action, tag, status, pointer) => {
    const { id } = await native()
    const refused = await keys.tryAct(id as string, action, { tags: [tag] })
    expectRefused(refused, status, status === 400 ? 1 : 2, pointer)
  })

  test('of the cloud cannot be given to new keys either', async () => {
    const Tags = [
      { TagKey: 'team', TagValue: 'one' },
      { TagKey: 'aws:mine', TagValue: 'x' },
    ]
    const pointer = '#/cloud_a_param/Tags/1/TagKey'
    expectRefused(await keys.tryCreate({ cloud_a_param: { Tags } }), 422, 2, pointer)
    const upload = { source_key_identifier: 'aes', cloud_a_param: { Tags } }
    expectRefused(await keys.tryUpload(upload), 422, 2, pointer)
    const primary = await native({ MultiRegion: true })
    const copy = { replica_region: OTHER_REGION, cloud_a_param: { Tags } }
    expectRefused(await keys.tryAct(primary.id as string, 'replicate-key', copy), 422, 2, pointer)
  })

  test('of others are removed, with any characters that the cloud allows', async () => {
    const { cloud, account } = cloudA()
    const key = await native()
    const tags = { keymgr_key_id: key.id as string, 'cost centre': '7', 'größe: @': 'm', kept: '' }
    cloud.alter(account.id, REGION, key.cloud_a_param.KeyID as string, { tags })
    await keys.act(key.id as string, 'refresh')
    const left = await keys.act(key.id, 'remove-tags', { tags: ['cost centre', 'größe: @'] })
    expect(tagsOf(left)).toEqual({ keymgr_key_id: key.id, kept: '' })
    expect(cloudA().seen(key).tags).toEqual(tagsOf(left))
    const long = await keys.tryAct(key.id as string, 'remove-tags', { tags: ['k'.repeat(129)] })
    expectRefused(long, 422, 2, '#/tags/0')
  })

  test('that a key does not have, or must keep, are not removed', async () => {
    const key = await native({ Tags: [{ TagKey: 'team', TagValue: 'one' }] })
    expectRefused(await keys.tryAct(key.id as string, 'remove-tags', { tags: ['team', 'none'] }), 404, 5, '#/tags/1')
    expectRefused(await keys.tryAct(key.id as string, 'remove-tags', { tags: ['keymgr_key_id'] }), 422, 2, '#/tags/0')
    expectRefused(await keys.tryAct(key.id as string, 'remove-tags', { tags: [] }), 422, 2, '#/tags')
    expect(cloudA().seen(key).tags).toEqual({ keymgr_key_id: key.id, team: 'one' })
  })
})

describe('aliases', () => {
  test('are added and deleted, and a key can have several', async () => {
    const key = await native({ Alias: 'b/second' })
    const named = await keys.act(key.id, 'add-alias', { alias: 'a-first' })
    expect(named.cloud_a_param.Alias).toEqual(['a-first', 'b/second'])
    expect(cloudA().seen(key).aliases).toEqual(['alias/a-first', 'alias/b/second'])
    const left = await keys.act(key.id, 'delete-alias', { alias: 'b/second' })
    expect(left.cloud_a_param.Alias).toEqual(['a-first'])
    expectRefused(await keys.tryAct(key.id as string, 'delete-alias', { alias: 'b/second' }), 404, 5, '#/alias')
  })

  test('belong to one key of a region', async () => {
    const [holder, other] = [await native({ Alias: 'mine' }), await native()]
    const elsewhere = await native({}, { region: OTHER_REGION })
    expectRefused(await keys.tryAct(other.id as string, 'add-alias', { alias: 'mine' }), 409, 16)
    expectRefused(await keys.tryAct(other.id as string, 'delete-alias', { alias: 'mine' }), 404, 5, '#/alias')
    expect(cloudA().seen(holder).aliases).toEqual(['alias/mine'])
    expect((await keys.act(elsewhere.id, 'add-alias', { alias: 'mine' })).cloud_a_param.Alias).toEqual(['mine'])
  })

  test.each(['alias/x', 'aws/x', 'a b', '', 'ä', 'a'.repeat(251)])('cannot be "%s"', async (alias) => {
    const { id } = await native()
    expectRefused(await keys.tryAct(id as string, 'add-alias', { alias }), 422, 2, '#/alias')
  })
})

describe('the description', () => {
  test('is replaced and never emptied', async () => {
    const key = await native({ Description: 'before' })
    const changed = await keys.act(key.id, 'update-description', { description: 'after' })
    expect(changed.cloud_a_param.Description).toBe('after')
    for (const body of [{ description: '' }, {}])
      expectRefused(await keys.tryAct(key.id as string, 'update-description', body), 422, 2, '#/description')
    expectRefused(
      await keys.tryAct(key.id as string, 'update-description', { description: 7 }),
      400,
      1,
      '#/description',
    )
    expect(cloudA().seen(key).description).toBe('after')
  })
})

describe('the policy', () => {
  const policy = (Sid: string, account: string = cloudA().account.id) => ({
    Version: '2012-10-17',
    Statement: [
      { Sid, Effect: 'Allow', Principal: { AWS: `arn:aws:iam::${account}:root` }, Action: 'kms:*', Resource: '*' },
    ],
  })

  test('can be a text, then lists, then a text again, and the record shows which', async () => {
    const key = await native()
    const text = await keys.act(key.id, 'policy', { Policy: JSON.stringify(policy('mine')) })
    expect(text.cloud_a_param.Policy).toEqual(policy('mine'))
    expect(JSON.parse(cloudA().seen(key).policy ?? '')).toEqual(policy('mine'))
    const lists = await keys.act(key.id, 'policy', { key_admins: ['alice'], key_users: ['bob'] })
    expect(lists).toMatchObject({ key_admins: ['alice'], key_users: ['bob'] })
    expect(lists.cloud_a_param.Policy.Statement).toHaveLength(4)
    const users = await keys.act(key.id, 'policy', { key_users: ['bob'] })
    expect(users).not.toHaveProperty('key_admins')
    const plain = await keys.act(key.id, 'policy', { Policy: JSON.stringify(policy('mine')) })
    expect(plain).not.toHaveProperty('key_users')
    expect(plain.cloud_a_param.Policy).toEqual(policy('mine'))
    const records = await cloudA().records(`message=Set%20Cloud-a%20Key%20Policy&resource_uri=${key.uri}`)
    expect(records).toHaveLength(4)
    expect(JSON.stringify(records)).not.toContain('mine')
  })

  test('can be a template: the key gets its tag, and the template is verified', async () => {
    const { admin, kms } = cloudA()
    const body = { name: 'by action', kms: kms.id, key_users: ['bob'] }
    const template = await admin.ok('POST', `${CLOUD_A}/templates`, body)
    expect(template.is_verified).toBe(false)
    const key = await native()
    const set = await keys.act(key.id, 'policy', { policytemplate: template.id })
    expect(set.policy_template_id).toBe(template.id)
    expect(set.cloud_a_param.Policy).toEqual(template.policy)
    expect(cloudA().seen(key).tags).toEqual({ keymgr_key_id: key.id, keymgr_policy_template_id: template.id })
    expect((await admin.ok('GET', `${CLOUD_A}/templates/${template.id}`)).is_verified).toBe(true)
    const other = await keys.act(key.id, 'policy', { key_users: ['bob'] })
    expect(other).not.toHaveProperty('policy_template_id')
    expect(cloudA().seen(key).tags).toEqual({ keymgr_key_id: key.id })
    await keys.act(key.id as string, 'policy', { policytemplate: template.id })
    const untagged = await keys.act(key.id, 'remove-tags', { tags: ['keymgr_policy_template_id'] })
    expect(untagged).not.toHaveProperty('policy_template_id')
  })

  test('that the cloud accepts without its tag is recorded as the cloud has it, although the request was refused', async () => {
    const { admin, kms, cloud } = cloudA()
    const body = { name: 'half', kms: kms.id, key_users: ['bob'] }
    const template = await admin.ok('POST', `${CLOUD_A}/templates`, body)
    const key = await native()
    const denied = cloud.inject({ fault: 'access-denied', operation: 'TagResource' })
    expectRefused(await keys.tryAct(key.id as string, 'policy', { policytemplate: template.id }), 502, 16)
    denied()
    const now = await keys.get(key.id as string)
    expect(now.cloud_a_param.Policy).toEqual(template.policy)
    expect(now).not.toHaveProperty('policy_template_id')
    const [record] = await cloudA().records(`message=Set%20Cloud-a%20Key%20Policy&resource_uri=${key.uri}`)
    expect(record).toMatchObject({ success: false, errorMessage: expect.stringContaining('AccessDeniedException') })
  })

  test('that would lock out all callers is refused by the cloud, unless a flag permits it', async () => {
    const key = await native()
    const Policy = JSON.stringify(policy('theirs', '999999999999'))
    const refused = await keys.tryAct(key.id as string, 'policy', { Policy })
    expectRefused(refused, 422, 16)
    expect(refused.body.detail).toContain('MalformedPolicyDocumentException')
    const locked = await keys.act(key.id, 'policy', { Policy, BypassPolicyLockoutSafetyCheck: true })
    expect(JSON.parse(cloudA().seen(key).policy ?? '')).toEqual(policy('theirs', '999999999999'))
    expect(locked).toMatchObject({ unread: ['key'], cloud_a_param: key.cloud_a_param }) // keymgr may no longer read it
    expect(await keys.get(key.id as string)).toEqual(locked)
  })

  test.each<[string, object, number, number, string[]]>([
    ['nothing at all', {}, 422, 2, ['#/Policy']],
    ['a promise alone', { BypassPolicyLockoutSafetyCheck: true }, 422, 2, ['#/Policy']],
    ['a text and lists', { Policy: '{}', key_users: ['bob'] }, 422, 2, ['#/policytemplate']],
    ['no JSON', { Policy: 'none' }, 422, 2, ['#/Policy']],
    ['no object', { Policy: '[]' }, 422, 2, ['#/Policy']],
    ['nobody', { key_users: [''] }, 422, 2, ['#/key_users/0']],
    ['no template there is', { policytemplate: '01890000-0000-7000-8000-00000000ffff' }, 404, 5, ['#/policytemplate']],
    ['no policy document', { Policy: '{"Statement":"none"}' }, 422, 16, []],
  ])('refuses %s', async (_what, body, status, code, fields) => {
    const key = await native()
    expectRefused(await keys.tryAct(key.id as string, 'policy', body), status, code, ...fields)
    expect(cloudA().seen(key).policy).toBeUndefined()
  })
})
