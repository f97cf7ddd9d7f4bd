import type { StrategyKind } from '../strategies.ts'
import { Provider } from './provider.ts'

export const oidcKind: StrategyKind = {
  secretField: 'client_secret',
  toldBy: ['issuer'],
  check: () => Promise.resolve(),
  test: (connection, secret) => new Provider(connection, secret).prove(),
}
