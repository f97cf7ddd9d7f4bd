import * as z from 'zod'
import type { DescribedCall, DescribedProtocol } from '../../endpoint/described.ts'
import { ALIASES, CALLS, type CallName } from './calls.ts'
import { namesOf } from '../../base/fields.ts'
import { object } from '../../base/lazy-fields.ts'

const BASE = '/v1/keymgr/WorkspaceCSE/endpoints/{id}/'

const reason = { reason: z.string().optional() }
const authentication = { authentication: z.string().meta({ description: 'token of the identity provider' }), ...reason }
const authorization = { authorization: z.string().meta({ description: 'token of the suite' }), ...reason }
const both = { ...authentication, ...authorization }

const Key = z.base64().meta({ description: 'the key of a document' })
const Wrapped = z.base64().meta({ description: 'a wrapped key' })
const toDecrypt = {
  wrapped_private_key: z.base64(),
  encrypted_data_encryption_key: z.base64(),
  algorithm: z.string(),
  rsa_oaep_label: z.base64().optional(),
}
const contentKey = object(() => ({ data_encryption_key: z.base64() }))

const DESCRIBED: Readonly<Record<CallName, Omit<DescribedCall, 'method' | 'path'>>> = {
  status: {
    summary: 'Get KACLS Status',
    isOpen: true,
    answers: object(() => ({
      server_type: z.string(),
      vendor_id: z.string(),
      version: z.string(),
      operations_supported: z.array(z.string()),
    })),
  },
  certs: {
    summary: 'Get KACLS Signing Keys',
    isOpen: true,
    answers: object(() => ({
      keys: z.array(
        z.object({
          kty: z.literal('RSA'),
          n: z.string(),
          e: z.string(),
          use: z.string(),
          alg: z.string(),
          kid: z.string(),
        }),
      ),
    })),
  },
  wrap: {
    summary: 'Wrap With KACLS Key',
    body: z.object({ key: Key, ...both }),
    answers: z.object({ wrapped_key: Wrapped }),
  },
  unwrap: {
    summary: 'Unwrap With KACLS Key',
    body: z.object({ wrapped_key: Wrapped, ...both }),
    answers: z.object({ key: Key }),
  },
  privilegedwrap: {
    summary: 'Privileged Wrap With KACLS Key',
    body: object(() => ({
      key: Key,
      resource_name: z.string(),
      perimeter_id: z.string().optional(),
      ...authentication,
    })),
    answers: z.object({ wrapped_key: Wrapped }),
  },
  privilegedunwrap: {
    summary: 'Privileged Unwrap With KACLS Key',
    body: object(() => ({ wrapped_key: Wrapped, resource_name: z.string(), ...authentication })),
    answers: z.object({ key: Key }),
  },
  digest: {
    summary: 'Digest With KACLS Key',
    body: z.object({ wrapped_key: Wrapped, ...authorization }),
    answers: object(() => ({ resource_key_hash: z.base64() })),
  },
  rewrap: {
    summary: 'Rewrap With KACLS Key',
    body: object(() => ({ wrapped_key: Wrapped, original_kacls_url: z.string(), ...authorization })),
    answers: object(() => ({ resource_key_hash: z.base64(), wrapped_key: Wrapped })),
  },
  delegate: {
    summary: 'Delegate KACLS User',
    body: z.object(both),
    answers: object(() => ({ delegated_authentication: z.string() })),
  },
  privatekeysign: {
    summary: 'Sign With KACLS Private Key',
    body: object(() => ({
      wrapped_private_key: z.base64(),
      digest: z.base64(),
      algorithm: z.string(),
      rsa_pss_salt_length: z.int().min(0).optional(),
      ...both,
    })),
    answers: object(() => ({ signature: z.base64() })),
  },
  privatekeydecrypt: {
    summary: 'Decrypt With KACLS Private Key',
    body: z.object({ ...toDecrypt, ...both }),
    answers: contentKey,
  },
  privilegedprivatekeydecrypt: {
    summary: 'Privileged Decrypt With KACLS Private Key',
    body: object(() => ({
      ...toDecrypt,
      spki_hash: z.base64(),
      spki_hash_algorithm: z.string(),
      ...authentication,
    })),
    answers: contentKey,
  },
}

const NAMES = namesOf(CALLS)

/** @see Workspace client-side encryption API, key access control list service */
export const kaclsDescribed: DescribedProtocol = {
  callers: 'The suite or a person, by the tokens in the body.',
  security: 'in body',
  refused: object(() => ({ code: z.int(), message: z.string(), details: z.string() })),
  calls: [
    ...NAMES.map((name) => ({ method: CALLS[name], path: BASE + name, ...DESCRIBED[name] })),
    ...Object.entries(ALIASES).map(([former, name]) => ({
      method: CALLS[name],
      path: BASE + former,
      ...DESCRIBED[name],
      summary: `${DESCRIBED[name].summary} As ${former}`,
      isFormer: true as const,
    })),
  ],
}
