import type { ZodType } from 'zod'
import type { StoredKeyRow } from '../../../cloud/keys/kind.ts'
import { entity, type Entity } from '../../../store/entity.ts'
import { refOf } from '../adapter/names.ts'
import { dueWhenGone } from './gone.ts'
import type { StoredItem } from './item.ts'
import { versionsIn } from './item.ts'
import { commonItemRow } from './model.ts'

type Row<N extends string> = ReturnType<typeof commonItemRow> & StoredKeyRow & Readonly<Record<N, string>>

/**
 * Versions of secrets or certificates. Reads served: a version by id; by its vault, name and number; those of one name;
 * all; those of a vault. Ours: the record of a version that its cloud no longer has stays for a while, with `gone`,
 * unless it is removed.
 * @param nameField field with the name of an item
 */
export const itemEntity = <N extends string, T extends StoredItem & Readonly<Record<N, string>>>(
  name: string,
  schema: ZodType<T>,
  nameField: N,
): Entity<T, Row<N>> =>
  entity({
    name,
    schema,
    id: ({ id }) => id,
    sets: ({ key_vault_id }) => ['all', `vault:${key_vault_id}`],
    families: (item) => [
      { name: versionsIn(item.key_vault_id), key: refOf(item[nameField], item.version), exclusive: true },
    ],
    due: dueWhenGone(name),
    row: (item) => ({ ...commonItemRow(item), [nameField]: item[nameField] }) as Row<N>, // a row with that one name
  })
