import { createPrivateKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import { beforeAll } from 'vitest'
import { keysOf, REGION, useCloudA } from '../cloud-a.ts'

export const cloudA = useCloudA()
export let keys: ReturnType<typeof keysOf>

/** Usage mask: export, combined with other uses. */
export const EXPORT = 64
export const secret = (bytes: number, algorithm = 'aes') => ({
  algorithm,
  material: randomBytes(bytes).toString('hex'),
})
const pem = (pair: { privateKey: any }): string => pair.privateKey.export({ format: 'pem', type: 'pkcs8' })
const rsa = (modulusLength: number) => ({
  algorithm: 'rsa',
  material: pem(generateKeyPairSync('rsa', { modulusLength })),
})
const ec = (namedCurve: string) => ({ algorithm: 'ec', material: pem(generateKeyPairSync('ec', { namedCurve })) })

/** A local key for each kind of cloud key, and the resulting key in the cloud. */
export const KINDS = [
  ['SYMMETRIC_DEFAULT', secret(32), 'ENCRYPT_DECRYPT', 'symmetric'],
  ['RSA_2048', rsa(2048), 'SIGN_VERIFY', 'asymmetric'],
  ['RSA_3072', rsa(3072), 'ENCRYPT_DECRYPT', 'asymmetric'],
  ['RSA_4096', rsa(4096), 'SIGN_VERIFY', 'asymmetric'],
  ['ECC_NIST_P256', ec('prime256v1'), 'SIGN_VERIFY', 'asymmetric'],
  ['ECC_NIST_P384', ec('secp384r1'), 'SIGN_VERIFY', 'asymmetric'],
  ['ECC_NIST_P521', ec('secp521r1'), 'SIGN_VERIFY', 'asymmetric'],
  ['ECC_SECG_P256K1', ec('secp256k1'), 'SIGN_VERIFY', 'asymmetric'],
  ['HMAC_224', secret(28, 'hmac-sha1'), 'GENERATE_VERIFY_MAC', 'hmac'],
  ['HMAC_256', secret(32, 'hmac-sha256'), 'GENERATE_VERIFY_MAC', 'hmac'],
  ['HMAC_384', secret(48, 'hmac-sha384'), 'GENERATE_VERIFY_MAC', 'hmac'],
  ['HMAC_512', secret(64, 'hmac-sha512'), 'GENERATE_VERIFY_MAC', 'hmac'],
] as const

export const paramFor = (spec: string, usage: string) => ({
  CustomerMasterKeySpec: spec,
  ...(spec.startsWith('RSA_') && { KeyUsage: usage }),
})

const usageMaskOf = (algorithm: string): number => EXPORT + (algorithm.startsWith('hmac') ? 384 : 15)

/** A new local key for each test that changes one. */
export const local = (name: string, more: object = {}): Promise<any> =>
  cloudA().admin.create({ name, algorithm: 'aes', usageMask: EXPORT + 12, ...more })

export const keysInCloud = (region: string = REGION): number =>
  cloudA().cloud.keysIn(cloudA().account.id, region).length

beforeAll(async () => {
  keys = keysOf(cloudA().admin)
  for (const [spec, body] of KINDS) await local(`for ${spec}`, { ...body, usageMask: usageMaskOf(body.algorithm) })
})

/** Bytes of material as written: raw material in hex, a private key as PKCS #8. */
export const bytesIn = (material: string): Buffer =>
  material.startsWith('-----')
    ? createPrivateKey(material).export({ format: 'der', type: 'pkcs8' })
    : Buffer.from(material, 'hex')
