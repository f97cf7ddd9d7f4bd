import { exportKey } from '../../../shared/vault/keys/export-key.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import {
  ExportLocalKey,
  LocalKeyPath,
  LocalKeySelector,
  LocalKeyWithMaterial,
} from '../../../shared/vault/keys/model.ts'

/** POST /v1/vault/keys2/{id}/export: the key with its material, wrapped if asked. */
export const exportOne = operation(
  {
    says: 'Export Key',
    path: LocalKeyPath,
    query: LocalKeySelector,
    body: ExportLocalKey,
    answers: LocalKeyWithMaterial,
    may: 'key-users',
    once: true,
  },
  async ({ path, query, body, context }) => ok(await exportKey(context, path.id, query, body)),
)
