import type { Verb } from '../../../serving/pipeline.ts'
import type { DatacustAddress, KeyCall } from './address.ts'
import type { DatacustCall, KeyedCall } from './admit.ts'
import * as asymmetric from './asymmetric.ts'
import * as metadata from './metadata.ts'
import * as symmetric from './symmetric.ts'

const KEY_VERBS: Readonly<Record<KeyCall, Verb<KeyedCall>>> = {
  'get-metadata': metadata.getMetadata,
  'get-versions-metadata': metadata.getVersionsMetadata,
  'get-public-key': metadata.getPublicKey,
  'symmetric-encrypt': symmetric.symmetricEncrypt,
  'symmetric-decrypt': symmetric.symmetricDecrypt,
  'generate-random-bytes': symmetric.generateRandomBytes,
  'asymmetric-encrypt': asymmetric.asymmetricEncrypt,
  'asymmetric-decrypt': asymmetric.asymmetricDecrypt,
  'asymmetric-sign': asymmetric.asymmetricSign,
  'asymmetric-verify': asymmetric.asymmetricVerify,
}

/** A call on a key has its key: `admit` refuses others. */
export const verbOf = ({ operation }: DatacustAddress): Verb<DatacustCall & Partial<KeyedCall>> =>
  operation === 'get-keystore-metadata' ? metadata.getKeystoreMetadata : KEY_VERBS[operation]
