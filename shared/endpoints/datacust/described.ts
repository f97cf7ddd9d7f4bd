import * as z from 'zod'
import type { DescribedCall, DescribedProtocol } from '../../endpoint/described.ts'
import { object } from '../../base/lazy-fields.ts'
import { KEY_CALLS, type KeyCall } from './data/address.ts'
import { OAEP, PSS } from './data/algorithms.ts'
import { EXTERNAL_KEY_STATES } from './keys/model.ts'

const STORE = '/v1/keymgr/datacust/hyok/v1/keystores/{id}'

const request_metadata = object(() => ({
  sap_tenant_id: z.string(),
  sap_group_id: z.string().optional(),
  sap_user_type: z.string().optional(),
  sap_request_id: z.string().optional(),
}))
const body = <F extends z.ZodRawShape>(fields: F) => z.object({ request_metadata, ...fields })

const asked = { key_version_id: z.string().optional() }
const used = { key_version_id: z.string() }
const sealed = { ciphertext: z.base64(), iv: z.base64(), tag: z.base64(), ...used }
const oaep = { algorithm: z.enum(Object.keys(OAEP)) }
const pss = { algorithm: z.enum(Object.keys(PSS)) }
const message = { message: z.base64(), message_type: z.enum(['RAW', 'DIGEST']).optional() }

const CALLS: Readonly<Record<KeyCall, Pick<DescribedCall, 'summary' | 'body' | 'answers'>>> = {
  'get-metadata': {
    summary: 'Get Datacust Key Metadata',
    body: body({}),
    answers: object(() => ({
      key_id: z.string(),
      ...used,
      state: z.enum(EXTERNAL_KEY_STATES),
      key_ops: z.array(z.enum(['ENCRYPT', 'DECRYPT', 'SIGN', 'VERIFY'])),
      key_spec: z.enum(['AES_256', 'RSA_3072', 'RSA_4096']),
    })),
  },
  'get-versions-metadata': {
    summary: 'Get Datacust Key Versions Metadata',
    body: body({
      skip: z.int().optional(),
      limit: z.int().optional(),
      ...asked,
      created_after: z.string().optional(),
    }),
    answers: object(() => ({
      skip: z.int(),
      limit: z.int(),
      total: z.int(),
      resources: z.array(z.object({ id: z.string(), created_at: z.string() })),
    })),
  },
  'get-public-key': {
    summary: 'Get Datacust Public Key',
    body: body(asked),
    answers: object(() => ({ public_key: z.string().meta({ description: 'PEM' }), ...used })),
  },
  'symmetric-encrypt': {
    summary: 'Encrypt With Datacust AES Key',
    body: body({ plaintext: z.base64(), aad: z.base64().optional(), ...asked }),
    answers: object(() => ({ ...sealed, aad: z.base64().optional() })),
  },
  'symmetric-decrypt': {
    summary: 'Decrypt With Datacust AES Key',
    body: body({ ...sealed, aad: z.base64().optional(), ...asked }),
    answers: object(() => ({ plaintext: z.base64(), ...used })),
  },
  'generate-random-bytes': {
    summary: 'Generate Datacust Random Bytes',
    body: body({ length: z.int() }),
    answers: object(() => ({ plaintext: z.base64(), ...sealed })),
  },
  'asymmetric-encrypt': {
    summary: 'Encrypt With Datacust RSA Key',
    body: body({ plaintext: z.base64(), ...oaep, ...asked }),
    answers: object(() => ({ ciphertext: z.base64(), ...oaep, ...used })),
  },
  'asymmetric-decrypt': {
    summary: 'Decrypt With Datacust RSA Key',
    body: body({ ciphertext: z.base64(), ...oaep, ...asked }),
    answers: object(() => ({ plaintext: z.base64(), ...used })),
  },
  'asymmetric-sign': {
    summary: 'Sign With Datacust Key',
    body: body({ ...message, ...pss, ...asked }),
    answers: object(() => ({ signature: z.base64(), ...pss, ...used })),
  },
  'asymmetric-verify': {
    summary: 'Verify With Datacust Key',
    body: body({ signature: z.base64(), ...message, ...pss, ...asked }),
    answers: object(() => ({ signature_valid: z.boolean(), ...used })),
  },
}

/** Calls of the platform to an external key store. */
export const datacustDescribed: DescribedProtocol = {
  callers: 'The platform datacust, with the client certificate of the key store.',
  security: { type: 'mutualTLS', description: 'The client certificate that the key store was created with.' },
  refused: object(() => ({
    type: z.string(),
    status: z.int(),
    detail: z.string(),
    traceId: z.string(),
    code: z.int(),
    codeDesc: z.string(),
  })),
  calls: [
    {
      method: 'POST',
      path: `${STORE}/get-metadata`,
      summary: 'Get Datacust Keystore Metadata',
      body: body({}),
      answers: object(() => ({ keystore_id: z.string(), sap_tenant_id: z.string(), state: z.literal('ACTIVE') })),
    },
    ...KEY_CALLS.map((call) => ({ method: 'POST' as const, path: `${STORE}/keys/{key}/${call}`, ...CALLS[call] })),
  ],
}
