import { unwrap } from '../../toolkit/unwrap.ts'
import type { HeldVault, Shape } from '../state/held.ts'
import { requiredBytes, requiredObject, wordAt } from '../wire/body.ts'
import type { Call } from '../wire/call.ts'
import type { Reply } from '../wire/reply.ts'
import { invalid, missing } from '../wire/errors.ts'
import { iso } from '../vaults/describe.ts'
import { createPublicKey } from 'node:crypto'
import { acceptMaterial } from './shapes.ts'

const WRAPPINGS = ['RSA_OAEP_SHA256', 'RSA_OAEP_AES_SHA256'] as const

/**
 * The material that a request imports, unwrapped with the vault's wrapping key.
 * @throws ApiError MissingParameter, InvalidParameter
 */
export async function importedIn({ body, state, vault }: Call, shape: Shape): Promise<Buffer> {
  if (shape.algorithm === 'ECDSA') throw invalid('ECDSA keys cannot be imported.')
  const wrapped = requiredObject(body, 'wrappedImportKey')
  const wrapping = wordAt(wrapped, 'wrappingAlgorithm', WRAPPINGS)
  if (wrapping === undefined) throw missing('wrappedImportKey.wrappingAlgorithm')
  const twoLayers = wrapping === 'RSA_OAEP_AES_SHA256'
  if (shape.algorithm === 'RSA' && !twoLayers) throw invalid(`RSA keys are imported with ${WRAPPINGS[1]} only.`)
  const bytes = requiredBytes(wrapped, 'keyMaterial')
  const material = acceptMaterial(shape, unwrapped(await state.wrappingKey(vault()), twoLayers, bytes))
  if (material === undefined) throw invalid('The key material does not fit keyShape.')
  return material
}

function unwrapped(key: Parameters<typeof unwrap>[0], twoLayers: boolean, bytes: Buffer): Buffer {
  try {
    return unwrap(key, { oaepHash: 'sha256', twoLayers }, bytes)
  } catch {
    throw invalid('The key material could not be unwrapped.')
  }
}

/** @throws ApiError InvalidParameter for an external vault, which has no material */
export function requireOwnKeys({ vaultType }: HeldVault): void {
  if (vaultType === 'EXTERNAL') throw invalid('Nothing can be imported into external vaults.')
}

export async function getWrappingKey(call: Call): Promise<Reply> {
  const vault = call.vault()
  requireOwnKeys(vault)
  call.require('read', vault.compartmentId)
  const key = createPublicKey(await call.state.wrappingKey(vault))
  return {
    body: {
      compartmentId: vault.compartmentId,
      id: vault.wrappingKeyId,
      lifecycleState: 'ENABLED',
      publicKey: key.export({ format: 'pem', type: 'spki' }).toString(),
      timeCreated: iso(vault.createdAt),
      vaultId: vault.id,
    },
  }
}
