import { issuerEntity } from '../../../endpoint/issuers/store.ts'
import { ISSUER_KIND } from './record.ts'

export const ekmIssuers = issuerEntity(ISSUER_KIND)
