import { render } from 'preact'
import { found } from '../web/element.ts'
import { handsOver } from '../web/provider.ts'
import { preloadPage } from './routes.ts'
import { App } from './shell/app.tsx'
import { applyTheme } from './shell/theme.ts'

if (!handsOver()) {
  applyTheme()
  preloadPage(location.pathname) // while the session is being restored
  render(<App />, found('console', HTMLDivElement))
}
