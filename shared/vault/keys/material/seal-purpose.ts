import type { StoredLocalKey } from '../store.ts'

/** Purpose that a version's material is sealed for: moved to another id or version, it does not open. */
export const sealPurpose = ({ id, version }: Pick<StoredLocalKey, 'id' | 'version'>): string[] => [
  'local-key',
  id,
  String(version),
  'material',
]
