import type { StoredLocalKey } from './store.ts'

/** What the material of a key version is sealed as: moved to another id or version, it does not open. */
export const sealPurpose = ({ id, version }: Pick<StoredLocalKey, 'id' | 'version'>): string[] => [
  'local-key',
  id,
  String(version),
  'material',
]
