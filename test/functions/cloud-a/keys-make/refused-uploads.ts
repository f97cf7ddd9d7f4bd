import { describe, expect, test } from 'vitest'
import { DAY, expectRefused } from '../../vault/vault.ts'
import { OTHER_REGION } from '../cloud-a.ts'
import { keysInCloud, keys, cloudA, EXPORT, secret, local } from './set-up.ts'

describe('upload refuses', () => {
  const NOT_THERE = '01890000-0000-7000-8000-00000000ffff'
  const AES = { source_key_identifier: 'for SYMMETRIC_DEFAULT' }
  const tags = (count: number) => Array.from({ length: count }, (_, n) => ({ TagKey: `t${n}`, TagValue: '' }))

  test.each<[string, object, number, number, string[]]>([
    [
      'neither container nor region nor key',
      { kms: undefined, region: undefined },
      422,
      2,
      ['#/kms', '#/region', '#/source_key_identifier'],
    ],
    ['a tier there is not', { ...AES, source_key_tier: 'hsm' }, 422, 2, ['#/source_key_tier']],
    [
      'fields of another kind',
      { ...AES, key_name: 'x', cloud_a_param: { Name: 'x' } },
      400,
      1,
      ['#/key_name', '#/cloud_a_param/Name'],
    ],
    ['an entry that is not there', { ...AES, kms: 'nowhere' }, 404, 5, ['#/kms']],
    ['a region the entry does not have', { ...AES, region: 'eu-north-1' }, 422, 2, ['#/region']],
    ['a local key that is not there', { source_key_identifier: 'nothing' }, 404, 5, ['#/source_key_identifier']],
    ['a template that is not there', { ...AES, policytemplate: NOT_THERE }, 404, 5, ['#/policytemplate']],
    [
      'a kind there is not',
      { ...AES, cloud_a_param: { CustomerMasterKeySpec: 'SM2' } },
      422,
      2,
      ['#/cloud_a_param/CustomerMasterKeySpec'],
    ],
    [
      'RSA without a usage',
      { source_key_identifier: 'for RSA_2048', cloud_a_param: { CustomerMasterKeySpec: 'RSA_2048' } },
      422,
      2,
      ['#/cloud_a_param/KeyUsage'],
    ],
    [
      'a usage the kind does not have',
      { ...AES, cloud_a_param: { KeyUsage: 'SIGN_VERIFY' } },
      422,
      2,
      ['#/cloud_a_param/KeyUsage'],
    ],
    [
      'material of another kind',
      { source_key_identifier: 'for RSA_2048' },
      422,
      2,
      ['#/cloud_a_param/CustomerMasterKeySpec'],
    ],
    [
      'material of another size',
      { source_key_identifier: 'for HMAC_256', cloud_a_param: { CustomerMasterKeySpec: 'HMAC_512' } },
      422,
      2,
      ['#/cloud_a_param/CustomerMasterKeySpec'],
    ],
    [
      'a curve of another key',
      { source_key_identifier: 'for ECC_NIST_P256', cloud_a_param: { CustomerMasterKeySpec: 'ECC_SECG_P256K1' } },
      422,
      2,
      ['#/cloud_a_param/CustomerMasterKeySpec'],
    ],
    ['an alias with its prefix', { ...AES, cloud_a_param: { Alias: 'alias/x' } }, 422, 2, ['#/cloud_a_param/Alias']],
    ["an alias of the cloud's own", { ...AES, cloud_a_param: { Alias: 'aws/x' } }, 422, 2, ['#/cloud_a_param/Alias']],
    ['an alias with a space', { ...AES, cloud_a_param: { Alias: 'a b' } }, 422, 2, ['#/cloud_a_param/Alias']],
    [
      'a tag value with a colon',
      { ...AES, cloud_a_param: { Tags: [{ TagKey: 'a', TagValue: 'b:c' }] } },
      422,
      2,
      ['#/cloud_a_param/Tags/0/TagValue'],
    ],
    [
      'a tag that only the service sets',
      { ...AES, cloud_a_param: { Tags: [{ TagKey: 'keymgr_policy_template_id', TagValue: 'x' }] } },
      422,
      2,
      ['#/cloud_a_param/Tags/0/TagKey'],
    ],
    [
      "a tag of the cloud's own",
      { ...AES, cloud_a_param: { Tags: [{ TagKey: 'AWS:x', TagValue: 'x' }] } },
      422,
      2,
      ['#/cloud_a_param/Tags/0/TagKey'],
    ],
    [
      'more tags than a key has room for',
      { ...AES, cloud_a_param: { Tags: tags(50) } },
      422,
      2,
      ['#/cloud_a_param/Tags'],
    ],
    [
      'a policy that is no JSON',
      { ...AES, cloud_a_param: { Policy: 'allow all' } },
      422,
      2,
      ['#/cloud_a_param/Policy'],
    ],
    [
      'a policy and a template',
      { ...AES, cloud_a_param: { Policy: '{}' }, policytemplate: NOT_THERE },
      422,
      2,
      ['#/policytemplate'],
    ],
    ['a template and lists', { ...AES, policytemplate: NOT_THERE, key_users: ['alice'] }, 422, 2, ['#/policytemplate']],
    ['a list member that is no name', { ...AES, key_users: ['alice', 'two words'] }, 422, 2, ['#/key_users/1']],
    ['an account that is none', { ...AES, external_accounts: ['12'] }, 422, 2, ['#/external_accounts/0']],
    ['expiry without a time', { ...AES, key_expiration: true }, 422, 2, ['#/cloud_a_param/ValidTo']],
    [
      'a time that is not to count',
      { ...AES, key_expiration: false, cloud_a_param: { ValidTo: '2030-01-01T00:00:00Z' } },
      422,
      2,
      ['#/cloud_a_param/ValidTo'],
    ],
  ])('%s', async (_what, body, status, code, fields) => {
    const made = keysInCloud()
    expectRefused(await keys.tryUpload(body), status, code, ...fields)
    expect(keysInCloud()).toBe(made)
  })

  test('a time in the past, or further ahead than the cloud keeps material', async () => {
    const { counts } = cloudA().cloud
    const before = counts().CreateKey
    for (const days of [-1, 366]) {
      const cloud_a_param = { ValidTo: cloudA().at(days * DAY) }
      expectRefused(await keys.tryUpload({ ...AES, cloud_a_param }), 422, 2, '#/cloud_a_param/ValidTo')
    }
    expect(counts().CreateKey).toBe(before)
  })

  test.each<[string, (id: string) => Promise<unknown>, object, number, number]>([
    ['is flagged unexportable', () => Promise.resolve(), { unexportable: true }, 403, 11],
    ['has no export use', () => Promise.resolve(), { usageMask: 12 }, 403, 11],
    ['has no material', () => Promise.resolve(), { emptyMaterial: true }, 409, 8],
    ['is no key', () => Promise.resolve(), { usageMask: EXPORT, ...secret(32, 'opaque') }, 422, 2],
    ['is archived', (id) => cloudA().admin.act(id, 'archive'), {}, 409, 8],
    ['is compromised', (id) => cloudA().admin.act(id, 'revoke', { reason: 'KeyCompromise' }), {}, 409, 8],
    ['is destroyed', (id) => cloudA().admin.act(id, 'destroy'), { state: 'Deactivated', ...secret(32) }, 409, 8],
  ])('a local key that %s', async (what, change, more, status, code) => {
    const { id } = await local(`key that ${what}`, more)
    await change(id as string)
    const made = keysInCloud()
    expectRefused(await keys.tryUpload({ source_key_identifier: id }), status, code)
    expect(keysInCloud()).toBe(made)
  })

  test('an alias of another key, before anything is created', async () => {
    await keys.create({ cloud_a_param: { Alias: 'taken' } })
    const made = keysInCloud()
    const refused = await keys.tryUpload({ ...AES, cloud_a_param: { Alias: 'taken' } })
    expectRefused(refused, 409, 16)
    expect(refused.body.detail).toContain('taken')
    expect(keysInCloud()).toBe(made)
    await keys.create({ region: OTHER_REGION, cloud_a_param: { Alias: 'taken' } })
  })

  test("a request that the cloud refuses, with the cloud's own code", async () => {
    const { cloud } = cloudA()
    const made = keysInCloud()
    const malformed = await keys.tryUpload({ ...AES, cloud_a_param: { Policy: '{"Version":"2012-10-17"}' } })
    expectRefused(malformed, 422, 16)
    expect(malformed.body.detail).toContain('MalformedPolicyDocumentException')
    const denied = cloud.inject({ fault: 'access-denied', operation: 'CreateKey' })
    const refused = await keys.tryUpload(AES)
    denied()
    expectRefused(refused, 502, 16)
    expect(refused.body.detail).toContain('AccessDeniedException')
    expect(keysInCloud()).toBe(made)
  })

  test('midway: the created key waits for its deletion, and is recorded', async () => {
    const denied = cloudA().cloud.inject({ fault: 'quota', operation: 'ImportKeyMaterial' })
    const { id: source } = await local('source of half a key')
    const refused = await keys.tryUpload({ source_key_identifier: source, cloud_a_param: { Description: 'half way' } })
    denied()
    expectRefused(refused, 409, 16)
    // The cloud may have received the material.
    expect((await cloudA().admin.get(source as string)).neverExported).toBe(false)
    const { resources } = await keys.list('?key_state=PendingDeletion')
    expect(resources).toMatchObject([
      { cloud_a_param: { Description: 'half way', KeyState: 'PendingDeletion' }, deletion_date: expect.any(String) },
    ])
    expect(cloudA().seen(resources[0]).state).toBe('PendingDeletion')
    const [record] = (await cloudA().records('message=Upload%20Cloud-a%20Key&success=false')).slice(-1)
    expect(record.errorMessage).toContain('LimitExceededException')
  })
})
