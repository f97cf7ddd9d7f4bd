import '../../shared/wiring.ts'
import { authenticatePlatform } from '../../shared/audit-exports/token.ts'
import { routes } from '../../shared/audit-exports/operations.ts'
import { admit } from '../../shared/identity/policies/admit.ts'
import { keepingFigures } from '../../shared/http/figures/keep.ts'
import { serveWith } from '../../shared/http/serve.ts'

export { routes }
export const handler = keepingFigures(serveWith({ authenticate: authenticatePlatform, admit }, routes))
