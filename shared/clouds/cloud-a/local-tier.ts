import { domainOfUri } from '../../base/ids.ts'

/** The one tier of source keys there is, and the type and name of their container. */
const LOCAL = 'local'

interface Owned {
  readonly uri: string
}

/**
 * Where the keys behind a key store stand, as its record tells it. Ours: the local keys of a domain stand together, so
 * that the domain is their container, and have no partitions: those fields are empty.
 */
export const containerOfSources = ({ uri }: Owned) => ({
  partition_label: '',
  partition_id: '',
  source_container_id: domainOfUri(uri),
  source_container_type: LOCAL,
})

/** The container of the local key whose material a cloud key has, as its record tells it; nothing for other material. */
export const containerOfSource = ({ uri, key_source }: Owned & { readonly key_source?: string | undefined }) =>
  key_source === LOCAL ? { key_source_container_id: domainOfUri(uri), key_source_container_name: LOCAL } : {}
