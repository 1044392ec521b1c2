import * as descriptors from '../../../schemas/personal/navigation-views.js';
import {
  addNavigationView,
  changeNavigationView,
  navigationViews,
  removeNavigationView,
} from '../../organization/personal/navigation-views.js';
import { handle, type AnyHandler } from '../kernel/handler.js';

/** Navigation views (specification-endpoints.md#add-navigation-view; endpoints-personal.md#personal-things). */
export function navigationViewHandlers(): AnyHandler[] {
  return [
    handle(descriptors.getNavigationViews, ({ org }, { user }) => ({
      navigation_views: navigationViews(org, user.user_id),
    })),
    handle(descriptors.addNavigationView, (tx, { user, params }) => {
      addNavigationView(tx, user.user_id, params);
      return {};
    }),
    handle(descriptors.updateNavigationView, (tx, { user, params }) => {
      changeNavigationView(tx, user.user_id, params.fragment, params);
      return {};
    }),
    handle(descriptors.removeNavigationView, (tx, { user, params }) => {
      removeNavigationView(tx, user.user_id, params.fragment);
      return {};
    }),
  ];
}
