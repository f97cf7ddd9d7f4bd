import { lazyAdapter } from '../../cloud/adapter/lazy.ts'
import { NAME } from './name.ts'

const load = () => import('./adapter/verbs.ts')

/** Tenant secrets, and what every call needs. */
export const crm = lazyAdapter(NAME, async () => (await load()).crm)
/** Certificates of organizations. */
export const crmCertificates = lazyAdapter(NAME, async () => (await load()).crmCertificates)
