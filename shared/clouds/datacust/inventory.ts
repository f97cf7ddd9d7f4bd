import { cloudInventory } from '../../cloud/keys/inventory.ts'
import { datacustKeys } from './keys/store.ts'
import { NAME } from './name.ts'

export const datacustInventory = cloudInventory(NAME, datacustKeys, ({ type, size = 0, status }) => ({
  algorithm: type.toLowerCase(),
  sizeBits: size,
  curve: undefined,
  state: status,
}))
