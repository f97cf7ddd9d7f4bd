import type { JobsRow } from '../row.ts'

export const JOBS: JobsRow = {
  operations: { keymgr_xks_credential_rotation: 'Rotation of key store credentials' },
  rotation: [
    { name: 'retain_alias', label: 'The former key keeps its alias', kind: 'flag' },
    { name: 'rotate_material', label: 'Rotate the material of the same key', kind: 'flag' },
  ],
}
