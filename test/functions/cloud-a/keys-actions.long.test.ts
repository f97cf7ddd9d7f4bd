import { EncryptCommand } from '@aws-sdk/client-kms'
import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { withoutReferences } from '../../support/described.ts'
import { DAY, expectRefused } from '../vault/vault.ts'
import { CLOUD_A, KEYS, keysOf, OTHER_REGION, REGION, useCloudA } from './cloud-a.ts'

const cloudA = useCloudA()
let keys: ReturnType<typeof keysOf>
/** Exportable, for symmetric use. */
const USE = 76
const aes = randomBytes(32)
const pair = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })

beforeAll(async () => {
  keys = keysOf(cloudA().admin)
  const { admin } = cloudA()
  await admin.create({ name: 'aes', algorithm: 'aes', material: aes.toString('hex'), usageMask: USE })
  const material = pair.privateKey.export({ format: 'pem', type: 'pkcs8' })
  await admin.create({ name: 'ec', algorithm: 'ec', material, usageMask: 67 })
})

const native = (cloud_a_param: object = {}, more: object = {}): Promise<any> => keys.create({ cloud_a_param, ...more })
const uploaded = (cloud_a_param: object = {}): Promise<any> =>
  keys.upload({ source_key_identifier: 'aes', cloud_a_param })
/** A key that the cloud no longer has, according to its record. */
async function goneKey(): Promise<any> {
  const key = await native()
  cloudA().cloud.forget(cloudA().account.id, REGION, key.cloud_a_param.KeyID as string)
  return keys.act(key.id as string, 'refresh')
}

describe('enable and disable', () => {
  test('move a key between its two states, at the cloud and on record', async () => {
    const key = await native()
    const disabled = await keys.act(key.id, 'disable')
    expect(disabled.cloud_a_param).toMatchObject({ KeyState: 'Disabled', Enabled: false })
    expect(cloudA().seen(key).state).toBe('Disabled')
    expect(await keys.get(key.id as string)).toEqual(disabled)
    expect((await keys.act(key.id, 'disable')).cloud_a_param.KeyState).toBe('Disabled')
    const enabled = await keys.act(key.id, 'enable')
    expect(enabled.cloud_a_param).toMatchObject({ KeyState: 'Enabled', Enabled: true })
    expect(cloudA().seen(key).state).toBe('Enabled')
  })

  test("are refused in other states, with the cloud's own code", async () => {
    const shell = await native({ Origin: 'EXTERNAL' })
    const refused = await keys.tryAct(shell.id as string, 'enable')
    expectRefused(refused, 409, 16)
    expect(refused.body.detail).toContain('KMSInvalidStateException')
    await keys.act(shell.id as string, 'schedule-deletion', { days: 7 })
    expectRefused(await keys.tryAct(shell.id as string, 'disable'), 409, 16)
  })

  test('leave an audit record that names the key also when they are refused', async () => {
    const { admin, cloud, user } = cloudA()
    const key = await native({ Alias: 'refused-to-us' })
    const denied = cloud.inject({ fault: 'access-denied', operation: 'DisableKey' })
    expectRefused(await keys.tryAct(key.id as string, 'disable'), 502, 16)
    denied()
    const { holder, sub } = await user('onlooker', ['keymgr Users'])
    const acls = [{ user_id: sub, permit: true, actions: ['viewnative'] }]
    await admin.ok('POST', `${CLOUD_A}/kms/${cloudA().kms.id}/update-acls`, { acls })
    expectRefused(await keysOf(holder).tryAct(key.id as string, 'disable'), 403, 4)
    const records = await cloudA().records(`message=Disable%20Cloud-a%20Key&resource_uri=${key.uri}`)
    const refused = { success: false, details: { resource_name: 'refused-to-us' } }
    expect(records).toMatchObject([refused, refused])
  })

  test('take no body', async () => {
    const { id } = await native()
    expectRefused(await keys.tryAct(id as string, 'disable', { days: 7 }), 400, 1, '#')
  })

  test('leave an audit record that shows what changed', async () => {
    const key = await native({ Alias: 'audited' })
    await keys.act(key.id as string, 'disable')
    const [record] = await cloudA().records(`message=Disable%20Cloud-a%20Key&resource_uri=${key.uri}`)
    expect(record).toMatchObject({ success: true, details: { resource_uri: key.uri, resource_name: 'audited' } })
    expect([record.details.before.KeyState, record.details.after.KeyState]).toEqual(['Enabled', 'Disabled'])
  })
})

describe('deletion', () => {
  test('is scheduled, cancelled and, once its day has come, seen', async () => {
    const key = await uploaded()
    const waiting = await keys.act(key.id, 'schedule-deletion', { days: 7 })
    expect(waiting.cloud_a_param).toMatchObject({ KeyState: 'PendingDeletion', Enabled: false })
    expect(waiting.deletion_date).toBe(waiting.cloud_a_param.DeletionDate)
    expect(Date.parse(waiting.deletion_date as string)).toBeCloseTo(Date.parse(cloudA().at(7 * DAY)), -5)
    expectRefused(await keys.tryAct(key.id as string, 'schedule-deletion', { days: 7 }), 409, 8)
    const kept = await keys.act(key.id, 'cancel-deletion')
    expect(kept.cloud_a_param.KeyState).toBe('Disabled')
    expect(kept).not.toHaveProperty('deletion_date')
    expectRefused(await keys.tryAct(key.id as string, 'cancel-deletion'), 409, 8)
    await keys.act(key.id as string, 'schedule-deletion', { days: 30 })
    expect(cloudA().seen(key).deletionAt?.getTime()).toBeCloseTo(Date.parse(cloudA().at(30 * DAY)), -5)
  })

  test('of a primary waits for its replicas', async () => {
    const primary = await native({ MultiRegion: true })
    await cloudA().replicate(primary)
    const waiting = await keys.act(primary.id, 'schedule-deletion', { days: 7 })
    expect(waiting.cloud_a_param.KeyState).toBe('PendingReplicaDeletion')
    expect((await keys.act(primary.id, 'cancel-deletion')).cloud_a_param.KeyState).toBe('Disabled')
  })

  test.each<[string, object, number]>([
    ['in less than 7 days', { days: 6 }, 422],
    ['in more than 30 days', { days: 31 }, 422],
    ['without days', {}, 422],
    ['in words', { days: '7' }, 400],
    ['in half a day more', { days: 7.5 }, 400],
  ])('is refused %s', async (_what, body, status) => {
    const key = await native()
    expectRefused(
      await keys.tryAct(key.id as string, 'schedule-deletion', body),
      status,
      status === 400 ? 1 : 2,
      '#/days',
    )
    expect(cloudA().seen(key).state).toBe('Enabled')
  })

  test('of a record is for gone keys alone', async () => {
    const { admin } = cloudA()
    const key = await native()
    expectRefused(await admin.call('DELETE', `${KEYS}/${key.id}`), 409, 8)
    await keys.act(key.id as string, 'schedule-deletion', { days: 7 })
    expectRefused(await admin.call('DELETE', `${KEYS}/${key.id}`), 409, 8)
    const gone = await goneKey()
    expect(gone).toMatchObject({ gone: true, cloud_a_param: { KeyState: 'Enabled' } })
    const stale = await admin.call('DELETE', `${KEYS}/${gone.id}`, undefined, { 'if-match': '"1"' })
    expectRefused(stale, 412, 8)
    expect(await admin.ok('DELETE', `${KEYS}/${gone.id}`, undefined, { 'if-match': '"2"' })).toEqual({ status: 204 })
    expectRefused(await admin.call('GET', `${KEYS}/${gone.id}`), 404, 5)
    expectRefused(await admin.call('DELETE', `${KEYS}/${gone.id}`), 404, 5)
  })
})

describe('a key the cloud no longer has', () => {
  test.each<[string, object | undefined]>([
    ['enable', undefined],
    ['disable', undefined],
    ['schedule-deletion', { days: 7 }],
    ['cancel-deletion', undefined],
    ['add-tags', { tags: [{ tag_key: 'a', tag_value: 'b' }] }],
    ['remove-tags', { tags: ['a'] }],
    ['add-alias', { alias: 'a' }],
    ['delete-alias', { alias: 'a' }],
    ['update-description', { description: 'a' }],
    ['policy', { key_users: ['bob'] }],
    ['delete-material', {}],
    ['enable-auto-rotation', {}],
    ['disable-auto-rotation', undefined],
    ['update-primary-region', { PrimaryRegion: OTHER_REGION }],
    ['get-key-rotation-status', undefined],
    ['rotate', {}],
  ])('refuses %s', async (action, body) => {
    const gone = (await keys.list('?gone=true&limit=1')).resources[0] ?? (await goneKey())
    const refused = await keys.tryAct(gone.id as string, action, body)
    expectRefused(refused, 409, 8)
    expect(refused.body.detail).toBe('The cloud no longer has this key.')
  })
})

describe('refresh', () => {
  test('reads changes that others made at the cloud', async () => {
    const key = await native({ Tags: [{ TagKey: 'team', TagValue: 'one' }] })
    const { cloud, account } = cloudA()
    cloud.alter(account.id, REGION, key.cloud_a_param.KeyID as string, {
      description: 'done elsewhere',
      enabled: false,
      tags: { team: 'two' },
      aliases: ['alias/elsewhere'],
    })
    const fresh = await keys.act(key.id, 'refresh')
    expect(fresh.cloud_a_param).toMatchObject({
      Description: 'done elsewhere',
      KeyState: 'Disabled',
      Tags: [{ TagKey: 'team', TagValue: 'two' }],
      Alias: ['elsewhere'],
    })
    expect(await keys.get(key.id as string)).toEqual(fresh)
  })

  test('of a key that is as it was writes nothing', async () => {
    const { admin } = cloudA()
    const key = await native()
    const answered = await admin.call('POST', `${KEYS}/${key.id}/refresh`)
    expect([answered.status, answered.headers.get('etag')]).toEqual([200, '"1"'])
    expect(answered.body).toEqual(key)
  })

  test('finds that a key is gone, and that it is back', async () => {
    const { cloud, account } = cloudA()
    const gone = await goneKey()
    expect(gone.gone).toBe(true)
    expect((await keys.act(gone.id, 'refresh')).gone).toBe(true)
    const id = gone.cloud_a_param.KeyID as string
    cloud.seed({ account: account.id, region: REGION, count: 1, describe: () => ({ id }) })
    expect(await keys.act(gone.id, 'refresh')).toMatchObject({ id: gone.id, gone: false })
  })
})

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

  test('are at most 50', async () => {
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

  test("of the cloud's own are not given to new keys either", async () => {
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

  test('that others set in any characters the cloud allows are removed', async () => {
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
  test('are added and deleted, several to a key', async () => {
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

  test('is a text, then lists, then a text again, and the record shows which', async () => {
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

  test('is a template, which the key is tagged with and the cloud has now taken', async () => {
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

  test('that the cloud takes without its tag is on record as the cloud has it, although the request was refused', async () => {
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

  test('that would lock everybody out is refused by the cloud unless that is wanted', async () => {
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
  ])('cannot be made of %s', async (_what, body, status, code, fields) => {
    const key = await native()
    expectRefused(await keys.tryAct(key.id as string, 'policy', body), status, code, ...fields)
    expect(cloudA().seen(key).policy).toBeUndefined()
  })
})

describe('imported material', () => {
  test('is deleted, after which the key cannot be used', async () => {
    const key = await uploaded()
    const empty = await keys.act(key.id, 'delete-material', {})
    expect(empty.cloud_a_param).toMatchObject({ KeyState: 'PendingImport', Enabled: false, Origin: 'EXTERNAL' })
    expect(await cloudA().bytesOf(key)).toBeUndefined()
    const encrypting = new EncryptCommand({ KeyId: key.cloud_a_param.KeyID, Plaintext: Buffer.from('x') })
    await expect(cloudA().client().send(encrypting)).rejects.toThrow(
      expect.objectContaining({ name: 'KMSInvalidStateException' }),
    )
  })

  test('is named by its id, if at all', async () => {
    const key = await uploaded()
    expectRefused(
      await keys.tryAct(key.id as string, 'delete-material', { key_material_id: 'x' }),
      422,
      2,
      '#/key_material_id',
    )
    const key_material_id = key.cloud_a_param.CurrentKeyMaterialId as string
    const empty = await keys.act(key.id, 'delete-material', { key_material_id })
    expect(empty.cloud_a_param.KeyState).toBe('PendingImport')
  })

  test("is never the cloud's own", async () => {
    expectRefused(await keys.tryAct((await native()).id as string, 'delete-material', {}), 409, 8)
  })
})

describe("the cloud's own rotation", () => {
  const statusOf = (key: any): Promise<any> => keys.act(key.id as string, 'get-key-rotation-status')

  test('is switched on and off, and tells when it is due', async () => {
    const key = await native()
    expect(await statusOf(key)).toEqual({ KeyRotationEnabled: false })
    const on = await keys.act(key.id, 'enable-auto-rotation', {})
    expect(on.cloud_a_param).toMatchObject({ KeyRotationEnabled: true, RotationPeriodInDays: 365 })
    const shorter = await keys.act(key.id, 'enable-auto-rotation', { rotation_period_in_days: 90 })
    const { KeyRotationEnabled, RotationPeriodInDays, NextRotationDate } = shorter.cloud_a_param
    expect([KeyRotationEnabled, RotationPeriodInDays]).toEqual([true, 90])
    expect(await statusOf(key)).toEqual({ KeyRotationEnabled, RotationPeriodInDays, NextRotationDate })
    expect(cloudA().seen(key).rotationPeriodDays).toBe(90)
    const off = await keys.act(key.id, 'disable-auto-rotation')
    expect(off.cloud_a_param.KeyRotationEnabled).toBe(false)
    expect(await statusOf(key)).toEqual({ KeyRotationEnabled: false })
  })

  test.each<[string, object, number]>([
    ['every 89 days', { rotation_period_in_days: 89 }, 422],
    ['every 2561 days', { rotation_period_in_days: 2561 }, 422],
    ['now and then', { rotation_period_in_days: 'often' }, 400],
  ])('does not happen %s', async (_what, body, status) => {
    const { id } = await native()
    const refused = await keys.tryAct(id as string, 'enable-auto-rotation', body)
    expectRefused(refused, status, status === 400 ? 1 : 2, '#/rotation_period_in_days')
  })

  test('is for symmetric keys whose material the cloud made', async () => {
    const others = [await uploaded(), await native({ CustomerMasterKeySpec: 'HMAC_256' })]
    for (const { id } of others) {
      expectRefused(await keys.tryAct(id as string, 'enable-auto-rotation', {}), 409, 8)
      expectRefused(await keys.tryAct(id as string, 'disable-auto-rotation'), 409, 8)
      expect(await statusOf({ id })).toEqual({ KeyRotationEnabled: false })
    }
  })

  test('is asked about without an audit record', async () => {
    await statusOf(await native())
    expect(await cloudA().records('message=Get%20Cloud-a%20Key%20Rotation%20Status')).toEqual([])
  })
})

describe('the primary region', () => {
  test('passes to a replica', async () => {
    const primary = await native({ MultiRegion: true })
    await cloudA().replicate(primary)
    const passed = await keys.act(primary.id, 'update-primary-region', { PrimaryRegion: OTHER_REGION })
    expect(passed.cloud_a_param).toMatchObject({
      KeyState: 'Updating',
      MultiRegionConfiguration: { MultiRegionKeyType: 'REPLICA', PrimaryKey: { Region: OTHER_REGION } },
    })
    const again = await keys.tryAct(primary.id as string, 'update-primary-region', { PrimaryRegion: OTHER_REGION })
    expectRefused(again, 409, 8)
  })

  test('is nothing that another key has, and nowhere where no replica is', async () => {
    const [single, primary] = [await native(), await native({ MultiRegion: true })]
    const body = { PrimaryRegion: OTHER_REGION }
    expectRefused(await keys.tryAct(single.id as string, 'update-primary-region', body), 409, 8)
    expectRefused(await keys.tryAct(primary.id as string, 'update-primary-region', body), 404, 16)
    expectRefused(await keys.tryAct(primary.id as string, 'update-primary-region', {}), 422, 2, '#/PrimaryRegion')
  })
})

describe('the public key', () => {
  const download = (id: string) => cloudA().admin.call('GET', `${KEYS}/${id}/download-public-key`)

  test('is PEM text', async () => {
    const key = await keys.upload({
      source_key_identifier: 'ec',
      cloud_a_param: { CustomerMasterKeySpec: 'ECC_NIST_P256' },
    })
    const { status, headers, body } = await download(key.id as string)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
    expect(body).toBe(createPublicKey(pair.privateKey).export({ format: 'pem', type: 'spki' }))
  })

  test('is described as text', async () => {
    const { body } = await cloudA().service.call('GET', '/v1/openapi.json')
    const { content } = withoutReferences(body).paths[`${CLOUD_A}/keys/{id}/download-public-key`].get.responses['200']
    expect(content).toEqual({ 'text/plain': { schema: { type: 'string', description: expect.any(String) } } })
  })

  test('is nothing that other keys have', async () => {
    const { id } = await native()
    expectRefused(await download(id as string), 409, 8)
    expectRefused(await download((await goneKey()).id as string), 409, 8)
    expectRefused(await download('01890000-0000-7000-8000-00000000ffff'), 404, 5)
    expectRefused(await download('no-id'), 400, 1, 'id')
  })
})

test('two things at once are not done to one key: the second is told to wait', async () => {
  const key = await native()
  let second: any
  const watched = cloudA().cloud.inject({
    fault: 'observe',
    operation: 'DisableKey',
    times: 1,
    after: async () => {
      second = await keys.tryAct(key.id as string, 'add-alias', { alias: 'at-once' })
    },
  })
  const first = await keys.tryAct(key.id as string, 'disable')
  watched()
  expect(first.status).toBe(200)
  expectRefused(second, 409, 8)
  expect(cloudA().seen(key)).toMatchObject({ state: 'Disabled', aliases: [] })
  await keys.act(key.id as string, 'add-alias', { alias: 'at-once' })
})

test('every action takes its own permission on the container, and seeing the key', async () => {
  const { admin, user } = cloudA()
  const { holder, sub } = await user('actor', ['keymgr Users'])
  const theirs = keysOf(holder)
  const entry = await cloudA().entry('for actors')
  const key = await native({ Alias: 'acted-on' }, { kms: 'for actors' })
  const permit = (...actions: string[]) =>
    admin.ok('POST', `${CLOUD_A}/kms/${entry.id}/update-acls`, { acls: [{ user_id: sub, permit: true, actions }] })
  const calls: readonly (readonly [permission: string, action: string, body?: object])[] = [
    ['keysynchronize', 'refresh'],
    ['keyupdate', 'disable'],
    ['keyupdate', 'enable'],
    ['keyupdate', 'add-tags', { tags: [{ tag_key: 'a', tag_value: 'b' }] }],
    ['keyupdate', 'remove-tags', { tags: ['a'] }],
    ['keyupdate', 'add-alias', { alias: 'acted-on-too' }],
    ['keyupdate', 'delete-alias', { alias: 'acted-on' }],
    ['keyupdate', 'update-description', { description: 'a' }],
    ['keyupdate', 'policy', { key_users: ['bob'] }],
    ['keyrotate', 'enable-auto-rotation', {}],
    ['keyrotate', 'disable-auto-rotation'],
    ['keydelete', 'schedule-deletion', { days: 7 }],
    ['keycanceldelete', 'cancel-deletion'],
  ]
  const ask = (action: string, body?: object) => theirs.tryAct(key.id as string, action, body)
  for (const [, action, body] of calls) expectRefused(await ask(action, body), 404, 5)
  await permit('viewbyok')
  expectRefused(await ask('disable'), 404, 5)
  await permit('viewnative')
  expect((await theirs.get(key.id as string)).id).toBe(key.id)
  expect((await ask('get-key-rotation-status')).status).toBe(200)
  const permitted = new Set<string>()
  for (const [permission, action, body] of calls) {
    if (!permitted.has(permission)) {
      const refused = await ask(action, body)
      expectRefused(refused, 403, 4)
      expect(refused.body.detail).toContain(permission)
      await permit(permission)
      permitted.add(permission)
    }
    expect((await ask(action, body)).status, action).toBe(200)
  }
  expectRefused(await ask('delete-material', {}), 403, 4)
})
