import type { KeyPassport } from '../../audit/passport/model.ts'
import { passportOf, type KeyFacts } from '../../audit/passport/passport.ts'
import type { Context } from '../../http/context.ts'
import { findKey } from './find-key.ts'
import type { KeyKind, KeyTypes } from './kind.ts'
import { storedVersions, type VersionedKind, type VersionedTypes } from './versions/kind.ts'

/** Fields of a stored key that describe the origin of its material. */
interface Known {
  readonly createdAt?: string
  readonly key_material_origin?: string
  readonly local_key_id?: string
  readonly local_key_name?: string
  readonly rotated_from?: string
  readonly rotated_to?: string
  readonly rotated_at?: string
  readonly synced_at?: string
}

/** The verb `cloudKeyPassport` for keys with versions. */
export const versionedKeyPassport = <T extends VersionedTypes>(kind: VersionedKind<T>) =>
  cloudKeyPassport(kind, async (domain, { id }) =>
    (await storedVersions(kind, domain, id)).map(({ item }) => ({
      id: item.id,
      ref: kind.versions.refOf(item),
      state: item.state,
      gone: item.gone,
      deleted: item.deleted,
      origin: item.key_material_origin,
      source: item.local_key_id,
    })),
  )

/**
 * The verb that creates a signed statement about a cloud key: its material's origin, its state at the cloud as last
 * read, its predecessor and successor.
 */
export const cloudKeyPassport =
  <T extends KeyTypes>(
    kind: KeyKind<T>,
    versionsIn: (domain: string, key: T['key']) => Promise<KeyFacts['versions']> = () => Promise.resolve([]),
  ) =>
  async (context: Context, id: string): Promise<KeyPassport> => {
    const { stored, container } = await findKey(kind, context, id)
    const key: T['key'] & Known = stored.item
    const { uri, gone, updatedAt, createdAt = updatedAt, key_material_origin, local_key_id, local_key_name } = key
    const { rotated_from, rotated_to, rotated_at, synced_at } = key
    const subjects = { uris: new Set([uri]), sources: new Set<string>(), since: createdAt }
    return passportOf(context, subjects, async () => ({
      key: {
        id: key.id,
        uri,
        name: kind.nameOf(key),
        cloud: kind.service,
        ref: kind.refOf(key),
        container: container.item.id,
        origin: key_material_origin ?? 'unknown',
        created: createdAt,
        gone,
        read_at: synced_at,
        rotated_from,
        rotated_to,
        rotated_at,
        description: kind.auditView(key),
      },
      versions: await versionsIn(context.caller.domain.id, key),
      material:
        local_key_id === undefined
          ? []
          : [{ way: 'taken from a local key', source: local_key_id, name: local_key_name }],
    }))
  }
