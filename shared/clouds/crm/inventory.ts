import { cloudInventory } from '../../cloud/keys/inventory.ts'
import { crmSecrets } from './keys/store.ts'
import { NAME } from './name.ts'

/** Every tenant secret is 256 bits of AES, or the input of a derivation of it. */
export const crmInventory = cloudInventory(NAME, crmSecrets, ({ status }) => ({
  algorithm: 'aes',
  sizeBits: 256,
  curve: undefined,
  state: status,
}))
