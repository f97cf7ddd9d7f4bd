import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  CreateAliasCommand,
  CreateGrantCommand,
  CreateKeyCommand,
  DecryptCommand,
  DeleteAliasCommand,
  DescribeKeyCommand,
  EnableKeyRotationCommand,
  EncryptCommand,
  GetPublicKeyCommand,
  ImportKeyMaterialCommand,
  KMSClient,
  ListGrantsCommand,
  ListKeysCommand,
  ReplicateKeyCommand,
  ScheduleKeyDeletionCommand,
  TagResourceCommand,
} from '@aws-sdk/client-kms'
import { AssumeRoleCommand } from '@aws-sdk/client-sts'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { createClock } from '../../../../../infra/local/clock.ts'
import { startCloudA, type CloudASimulator } from '../../../../../infra/simulators/cloud-a/simulator.ts'
import { ACCOUNTS, kmsOf, outcome, stsOf } from '../clients.ts'
import { createExternal, DIRECT, importMaterial, parcel } from '../keys/imported.ts'

const account = ACCOUNTS.first
const region = 'us-east-1'
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cloud-a-journal-'))
let file = ''

beforeEach(() => {
  file = path.join(folder, `${randomBytes(6).toString('hex')}.jsonl`)
})
afterAll(() => fs.rmSync(folder, { recursive: true }))

/** Runs `work` in one run of the simulated cloud. */
async function during<T>(work: (simulator: CloudASimulator, kms: KMSClient) => T | Promise<T>, clock = createClock()) {
  const simulator = await startCloudA({ clock, file })
  try {
    return await work(simulator, kmsOf(simulator))
  } finally {
    await simulator.stop()
  }
}

const create = async (kms: KMSClient, input = {}) =>
  (await kms.send(new CreateKeyCommand(input))).KeyMetadata?.KeyId ?? ''

test('all facts about keys exist after a restart', async () => {
  const made = await during(async (simulator, kms) => {
    const KeyId = await create(kms, { Description: 'kept', Tags: [{ TagKey: 'a', TagValue: 'b' }], MultiRegion: true })
    await kms.send(new CreateAliasCommand({ AliasName: 'alias/kept', TargetKeyId: KeyId }))
    await kms.send(new CreateAliasCommand({ AliasName: 'alias/dropped', TargetKeyId: KeyId }))
    await kms.send(new DeleteAliasCommand({ AliasName: 'alias/dropped' }))
    await kms.send(new TagResourceCommand({ KeyId, Tags: [{ TagKey: 'c', TagValue: '' }] }))
    await kms.send(new EnableKeyRotationCommand({ KeyId, RotationPeriodInDays: 100 }))
    await kms.send(new ReplicateKeyCommand({ KeyId, ReplicaRegion: 'us-west-2' }))
    const grant = { KeyId, GranteePrincipal: `arn:aws:iam::${account}:user/alice`, Operations: ['Decrypt' as const] }
    await kms.send(new CreateGrantCommand(grant))
    const { CiphertextBlob } = await kms.send(new EncryptCommand({ KeyId, Plaintext: Buffer.from('kept') }))
    const going = await create(kms)
    await kms.send(new ScheduleKeyDeletionCommand({ KeyId: going }))
    const rsa = await create(kms, { KeySpec: 'RSA_2048', KeyUsage: 'SIGN_VERIFY' })
    const { PublicKey } = await kms.send(new GetPublicKeyCommand({ KeyId: rsa }))
    return { CiphertextBlob, rsa, PublicKey, keys: simulator.keysIn(account, region) }
  })
  await during(async (simulator, kms) => {
    expect(simulator.keysIn(account, region)).toEqual(made.keys)
    expect(simulator.keysIn(account, 'us-west-2')).toHaveLength(1)
    const opened = await kms.send(new DecryptCommand({ CiphertextBlob: made.CiphertextBlob, KeyId: 'alias/kept' }))
    const { Grants } = await kms.send(new ListGrantsCommand({ KeyId: opened.KeyId }))
    expect(Grants).toMatchObject([{ Operations: ['Decrypt'] }])
    expect(Buffer.from(opened.Plaintext ?? [])).toEqual(Buffer.from('kept'))
    const again = await kms.send(new GetPublicKeyCommand({ KeyId: made.rsa }))
    expect(again.PublicKey).toEqual(made.PublicKey)
    expect(await outcome(kms.send(new DescribeKeyCommand({ KeyId: 'alias/dropped' })))).toBe('NotFoundException')
  })
})

test('imported material, import tokens and sessions outlive a restart', async () => {
  const material = randomBytes(32)
  const left = await during(async (simulator, kms) => {
    const imported = await createExternal(kms)
    await importMaterial(kms, imported, material)
    const waiting = await createExternal(kms)
    const wrapped = await parcel(kms, waiting, material, DIRECT)
    const RoleArn = `arn:aws:iam::${account}:role/keymgr-operator`
    const { Credentials } = await stsOf(simulator).send(new AssumeRoleCommand({ RoleArn, RoleSessionName: 'long' }))
    return { imported, wrapped, Credentials }
  })
  await during(async (simulator, kms) => {
    expect(await simulator.materialOf(account, region, left.imported)).toEqual(material)
    const ExpirationModel = 'KEY_MATERIAL_DOES_NOT_EXPIRE' as const
    expect(await outcome(kms.send(new ImportKeyMaterialCommand({ ...left.wrapped, ExpirationModel })))).toBe('done')
    const { AccessKeyId = '', SecretAccessKey = '', SessionToken = '' } = left.Credentials ?? {}
    const credentials = { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken }
    expect(await outcome(kmsOf(simulator, { credentials }).send(new ListKeysCommand({})))).toBe('done')
  })
})

test('seeded keys and their material exist after a restart, and a deleted key does not', async () => {
  const [ids, bytes] = await during(async (simulator) => {
    const seeded = simulator.seed({ account, region, count: 200, describe: (n) => ({ aliases: [`alias/s${n}`] }) })
    simulator.forget(account, region, seeded[1] ?? '')
    return [seeded, await simulator.materialOf(account, region, seeded[0] ?? '')]
  })
  await during(async (simulator) => {
    expect(simulator.keysIn(account, region).map(({ id }) => id)).toEqual(ids.filter((_, n) => n !== 1).sort())
    expect(await simulator.materialOf(account, region, ids[0] ?? '')).toEqual(bytes)
    expect(simulator.keyOf(account, region, ids[7] ?? '')?.aliases).toEqual(['alias/s7'])
  })
})

test('the passage of time while nothing runs takes effect at the next start', async () => {
  const KeyId = await during(async (_simulator, kms) => {
    const made = await create(kms)
    await kms.send(new ScheduleKeyDeletionCommand({ KeyId: made, PendingWindowInDays: 7 }))
    return made
  })
  const later = createClock()
  later.advance(8 * 86_400_000)
  await during((simulator) => expect(simulator.keyOf(account, region, KeyId)).toBeUndefined(), later)
})

test('the journal is readable only by its owner, and is compacted at a start', async () => {
  await during(async (simulator, kms) => {
    const KeyId = await create(kms)
    for (let n = 0; n < 50; n++) simulator.alter(account, region, KeyId, { description: `change ${n}` })
  })
  expect(fs.statSync(file).mode & 0o777).toBe(0o600)
  const before = fs.statSync(file).size
  await during((simulator) => expect(simulator.keysIn(account, region)[0]?.description).toBe('change 49'))
  expect(fs.statSync(file).size).toBeLessThan(before / 10)
  expect(fs.readdirSync(folder).filter((name) => name.endsWith('.new'))).toEqual([])
})

test('a killed process loses nothing, and an incomplete line does no harm', async () => {
  const program = fileURLToPath(new URL('fixtures/killed-simulator.ts', import.meta.url))
  const child = spawn(process.execPath, [program, file], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [endpoint] = await once(child.stdout, 'data')
  const accessKeyId = `AKIASIMA${account}`
  const credentials = { accessKeyId, secretAccessKey: `simulated-cloud-a-secret-of-${account}` }
  const kms = new KMSClient({ endpoint: String(endpoint).trim(), region, credentials })
  const ids = [await create(kms), await create(kms), await create(kms)]
  child.kill('SIGKILL')
  await once(child, 'exit')
  fs.appendFileSync(file, '{"kind":"key","key":{"id":"cut sh')
  await during((simulator) => expect(simulator.keysIn(account, region).map(({ id }) => id)).toEqual(ids.sort()))
})
