import * as z from 'zod'
import type { DescribedProtocol } from '../../../../endpoint/described.ts'
import { extended, object } from '../../../../base/lazy-fields.ts'

const VAULT = '/v1/keymgr/cloud-d/ekm/v1/vaults/{vault}'
const KEY = `${VAULT}/keys/{key}`

const operations = z.array(z.enum(['ENCRYPT', 'DECRYPT']))
const state = z.enum(['ENABLED', 'DISABLED'])
const random = object(() => ({ length: z.int().min(1).max(65_535) }))
const randomAnswer = object(() => ({ randomBytes: z.base64(), length: z.int() }))
const blob = object(() => ({
  ciphertext: z.base64(),
  iv: z.base64(),
  tag: z.base64(),
  mode: z.literal('GCM').optional(),
  aad: z.base64().optional(),
  keyVersionId: z.string().optional().meta({ description: 'the current version without it' }),
}))

/** @see external key manager API of cloud-d */
export const externalVaultsDescribed: DescribedProtocol = {
  callers: "The key service of cloud-d, with a token of the vault's issuer.",
  refused: object(() => ({ code: z.string().meta({ description: 'the status' }), message: z.string() })),
  calls: [
    {
      ...{ method: 'GET', path: `${VAULT}/metadata`, summary: 'Get External Vault Metadata' },
      answers: object(() => ({ state: z.enum(['ACTIVE', 'BLOCKED']), vendor: z.string() })),
    },
    {
      ...{ method: 'GET', path: `${KEY}/metadata`, summary: 'Get External Key Metadata' },
      answers: object(() => ({
        keyId: z.string(),
        currentKeyVersionId: z.string(),
        keyShape: z.object({ algorithm: z.literal('AES'), length: z.literal(256) }),
        state,
        keyOps: operations,
      })),
    },
    {
      ...{ method: 'GET', path: `${KEY}/keyVersions/{version}/metadata`, summary: 'Get External Key Version Metadata' },
      answers: object(() => ({ keyId: z.string(), keyVersionId: z.string(), state, keyVersionOps: operations })),
    },
    {
      ...{ method: 'POST', path: `${KEY}/encrypt`, summary: 'Encrypt With External Key' },
      body: object(() => ({
        plaintext: z.base64(),
        iv: z.base64().optional().meta({ description: 'ignored: the service makes the iv' }),
        mode: z.literal('GCM').optional(),
        pad: z.string().optional(),
        aad: z.base64().optional(),
        keyVersionId: z.string().optional().meta({ description: 'the current version without it' }),
      })),
      answers: blob,
    },
    {
      ...{ method: 'POST', path: `${KEY}/decrypt`, summary: 'Decrypt With External Key' },
      body: extended(blob, () => ({ pad: z.string().optional() })),
      answers: object(() => ({ plaintext: z.base64() })),
    },
    {
      ...{ method: 'POST', path: `${VAULT}/generateRandomBytes`, summary: 'Generate External Vault Random Bytes' },
      ...{ body: random, answers: randomAnswer },
    },
    {
      ...{ method: 'POST', path: `${KEY}/generateRandomBytes`, summary: 'Generate External Key Random Bytes' },
      ...{ body: random, answers: randomAnswer },
    },
  ],
}
