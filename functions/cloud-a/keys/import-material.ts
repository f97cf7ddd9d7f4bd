import { importMaterial } from '../../../shared/clouds/cloud-a/keys/import-material.ts'
import { ImportMaterial } from '../../../shared/clouds/cloud-a/keys/model.ts'
import { keyAction } from './key-action.ts'

/** POST /v1/keymgr/cloud-a/keys/{id}/import-material: a local key's material goes into the key. */
export const importLocal = keyAction('Import Cloud-a Key Material', importMaterial, ImportMaterial)
