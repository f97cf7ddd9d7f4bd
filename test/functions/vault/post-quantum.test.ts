import { createPublicKey, verify } from 'node:crypto'
import { expect, test } from 'vitest'
import { expectRefused, useVault } from './vault.ts'

const vault = useVault()
const admin = () => vault().admin

test.each([
  ['ml-dsa', 65, [44, 87]],
  ['ml-kem', 768, [512, 1_024]],
])('%s keys are created in every size, exported, imported and rotated', async (algorithm, usual, others) => {
  for (const size of [undefined, ...others]) {
    const name = `${algorithm}-${size ?? 'usual'}`
    const key = await admin().create({ name, algorithm, ...(size && { size }), usageMask: 64 + 3 })
    expect(key).toMatchObject({ algorithm, size: size ?? usual, objectType: 'Private Key', version: 0 })
    const { material } = await admin().act(key.id, 'export', {})
    expect(material).toMatch(/^-----BEGIN PRIVATE KEY-----/)
    const again = await admin().create({ name: `${name} again`, algorithm, material })
    expect(again).toMatchObject({ size: size ?? usual, sha256Fingerprint: key.sha256Fingerprint })
    const next = await admin().act(name, 'versions', {})
    expect(next).toMatchObject({ version: 1, size: size ?? usual })
    expect(next.sha256Fingerprint).not.toBe(key.sha256Fingerprint)
  }
})

test('an ML-DSA key signs an export, which its public half verifies', async () => {
  await admin().create({ name: 'signer', algorithm: 'ml-dsa', usageMask: 3 + 64 })
  const secret = await admin().create({ name: 'signed', algorithm: 'aes', usageMask: 64 })
  const out = await admin().act(secret.id, 'export', { wrappingMethod: 'mac/sign', wrapKeyName: 'signer' })
  expect(out.macSignatureAlgorithm).toBe('ml-dsa-65')
  const { material: pem } = await admin().act('signer', 'export', {})
  const signature = Buffer.from(out.macSignature as string, 'base64')
  expect(verify(null, Buffer.from(out.material as string, 'hex'), createPublicKey(pem as string), signature)).toBe(true)
})

test('unsupported uses are refused, not attempted', async () => {
  await admin().create({ name: 'kem', algorithm: 'ml-kem', usageMask: 48 + 64 })
  const secret = await admin().create({ name: 'wrapped', algorithm: 'aes', usageMask: 64 })
  for (const [body, pointer] of [
    [{ algorithm: 'ml-dsa', size: 64 }, '#/size'],
    [{ algorithm: 'ml-kem', size: 2_048 }, '#/size'],
    [{ algorithm: 'ml-dsa', curveid: 'prime256v1' }, '#/curveid'],
  ] as const)
    expectRefused(await admin().call('POST', '/v1/vault/keys2', { name: 'bad', ...body }), 422, 2, pointer)
  expectRefused(await admin().tryAct(secret.id, 'export', { wrapKeyName: 'kem' }), 422, 2)
  const mac = { wrappingMethod: 'mac/sign', wrapKeyName: 'kem' }
  expect((await admin().tryAct(secret.id, 'export', mac)).status).toBeGreaterThanOrEqual(400)
  const csr = { csrParams: { cn: 'pq' }, keyGenParams: { name: 'csr', algorithm: 'ml-dsa' } }
  const { status } = await admin().call('POST', '/v1/vault/csr', csr)
  expect([400, 422]).toContain(status)
})

test('the bill of materials counts them as ready', async () => {
  await admin().create({ name: 'counted', algorithm: 'ml-kem', size: 1_024 })
  const { components } = await admin().ok('GET', '/v1/audit/cbom')
  expect(components).toContainEqual(
    expect.objectContaining({
      name: expect.stringMatching(/ml-kem/i),
      cryptoProperties: expect.objectContaining({
        algorithmProperties: expect.objectContaining({ primitive: 'kem', nistQuantumSecurityLevel: 5 }),
      }),
    }),
  )
})
