import { domainOfUri } from '../../base/ids.ts'

/** The only tier of source keys, which is also the type and name of their container. */
const LOCAL = 'local'

interface Owned {
  readonly uri: string
}

/**
 * The container of the keys in a key store, from the store's record. Ours: the domain counts as the container of its
 * local keys, and they have no partitions, so those fields are empty.
 */
export const containerOfSources = ({ uri }: Owned) => ({
  partition_label: '',
  partition_id: '',
  source_container_id: domainOfUri(uri),
  source_container_type: LOCAL,
})

/** The container of the local key of a cloud key, from the cloud key's record; empty for other material. */
export const containerOfSource = ({ uri, key_source }: Owned & { readonly key_source?: string | undefined }) =>
  key_source === LOCAL ? { key_source_container_id: domainOfUri(uri), key_source_container_name: LOCAL } : {}
