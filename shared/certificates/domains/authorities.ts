import { planDomainCa } from './plan.ts'

/** As `shared/wiring.ts` hands them to domains, which know no authorities. */
export const caOfDomains = { plan: planDomainCa }
